// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// The least that a process in between takes on Linux: a thread for each direction that waits in
// read(2) and writes what it got. `copier pipes COMMAND…` stands before a command's standard input
// and output, `copier tcp PORT` before a port of this machine. With MODE=splice bytes do not pass
// through the process: splice(2).

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most = 256 << 10 };

static int by_splice;

struct way {
	int from, to, sockets;
};

static void copy(struct way *w) {
	char *buffer = malloc(most);
	for (;;) {
		ssize_t n = read(w->from, buffer, most);
		if (n <= 0) return;
		for (ssize_t done = 0; done < n;) {
			ssize_t m = write(w->to, buffer + done, n - done);
			if (m <= 0) return;
			done += m;
		}
	}
}

static void move(struct way *w) {
	int middle[2] = {w->from, w->to};
	if (w->sockets && pipe(middle) < 0) return;
	if (w->sockets) fcntl(middle[1], F_SETPIPE_SZ, most);
	for (;;) {
		ssize_t n = splice(w->from, NULL, middle[1], NULL, most, SPLICE_F_MOVE);
		if (n <= 0) return;
		while (w->sockets && n > 0) {
			ssize_t m = splice(middle[0], NULL, w->to, NULL, n, SPLICE_F_MOVE);
			if (m <= 0) return;
			n -= m;
		}
	}
}

static void *run(void *arg) {
	struct way *w = arg;
	if (by_splice) move(w); else copy(w);
	if (w->sockets) shutdown(w->to, SHUT_WR); else close(w->to);
	free(w);
	return NULL;
}

static void begin(int from, int to, int sockets) {
	struct way *w = malloc(sizeof *w);
	*w = (struct way){from, to, sockets};
	pthread_t t;
	pthread_create(&t, NULL, run, w);
	pthread_detach(t);
}

static int pipes(char **command) {
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) return 1;
	int ends[] = {0, 1, in[1], out[0]};
	for (int i = 0; i < 4; i++) fcntl(ends[i], F_SETPIPE_SZ, most);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(command[0], command);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	begin(0, in[1], 0);
	begin(out[0], 1, 0);
	int status;
	waitpid(pid, &status, 0);
	return 0;
}

static void *until_closed(void *unused) {
	char b;
	while (read(0, &b, 1) > 0) {}
	exit(0);
}

static int tcp(int port) {
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, there = here;
	there.sin_port = htons(port);
	socklen_t size = sizeof here;
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	if (bind(listener, (struct sockaddr *)&here, size) < 0 || listen(listener, 16) < 0) return 1;
	getsockname(listener, (struct sockaddr *)&here, &size);
	printf("http://127.0.0.1:%d\n", ntohs(here.sin_port));
	fflush(stdout);
	pthread_t t;
	pthread_create(&t, NULL, until_closed, NULL);
	for (;;) {
		int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
		if (client < 0 || connect(server, (struct sockaddr *)&there, sizeof there) < 0) return 1;
		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		begin(client, server, 1);
		begin(server, client, 1);
	}
}

int main(int n, char **args) {
	by_splice = getenv("MODE") && !strcmp(getenv("MODE"), "splice");
	if (n > 2 && !strcmp(args[1], "pipes")) return pipes(args + 2);
	if (n == 3 && !strcmp(args[1], "tcp")) return tcp(atoi(args[2]));
	fprintf(stderr, "copier pipes COMMAND… | copier tcp PORT\n");
	return 2;
}
