// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import "github.com/toolscope/toolscope/internal/chars"

// A Program takes secrets in arguments that have no telling name.
type Program struct {
	Name  string
	User  string // options whose argument is "user:password"
	Value string // options whose argument is a secret
	Glued string // options with the secret directly behind them
	Nth   int    // the argument of this number, among those that are no options, is a secret
	Sep   string // what stands between user and password, if no colon
}

// Programs are the command lines that are read. Options of one program are separated by
// blanks; long options with a telling name need no entry.
var Programs = []Program{
	{Name: "curl", User: "-u --user --proxy-user -U", Value: "-b --cookie"},
	{Name: "http ", User: "-a --auth"},
	{Name: "mysql", Glued: "-p"},
	{Name: "mariadb", Glued: "-p"},
	{Name: "sshpass", Value: "-p", Glued: "-p"},
	{Name: "docker login", Value: "-p"},
	{Name: "podman login", Value: "-p"},
	{Name: "az login", Value: "-p"},
	{Name: "redis-cli", Value: "-a"},
	{Name: "mongo", Value: "-p"},
	{Name: "sqlcmd", Value: "-P", Glued: "-P"},
	{Name: "ldapsearch", Value: "-w", Glued: "-w"},
	{Name: "ldapmodify", Value: "-w", Glued: "-w"},
	{Name: "ldapadd", Value: "-w", Glued: "-w"},
	{Name: "wpa_passphrase", Nth: 2},
	{Name: "smbclient", User: "-U --user", Sep: "%"},
	{Name: "lftp", User: "-u --user", Sep: ","},
	{Name: "mongosh", Value: "-p"},
	{Name: "psexec", Value: "-p"},
	{Name: "plink", Value: "-pw"},
	{Name: "pscp", Value: "-pw"},
	{Name: "evil-winrm", Value: "-p"},
	{Name: "ipmitool", Value: "-P"},
	{Name: "convertto-securestring", Value: "-String", Nth: 1},
	{Name: "vault operator unseal", Nth: 1},
	{Name: "vault login", Nth: 1},
	{Name: "rabbitmqctl add_user", Nth: 2},
	{Name: "rabbitmqctl change_password", Nth: 2},
	{Name: "rabbitmqctl authenticate_user", Nth: 2},
	{Name: "ansible-vault encrypt_string", Nth: 1},
	{Name: "net user", Nth: 2},
	{Name: "net use ", Nth: 3},
	{Name: "useradd", Value: "-p --password"},
	{Name: "usermod", Value: "-p --password"},
	{Name: "gh secret set", Value: "-b --body"},
	{Name: "nmcli", Value: "password wifi-sec.psk"},
	{Name: "mosquitto_pub", Value: "-P --pw"},
	{Name: "mosquitto_sub", Value: "-P --pw"},
	{Name: "snmpget", Value: "-A -X"},
	{Name: "snmpwalk", Value: "-A -X"},
	{Name: "xfreerdp", Glued: "/p:"},
	{Name: "cmdkey", Glued: "/pass:"},
	{Name: "rclone obscure", Nth: 1},
	{Name: "influx ", Value: "-p -t"},
	{Name: "ftp ", User: "-u"},
	{Name: "cqlsh", Value: "-p"},
	{Name: "isql ", Nth: 3},
	{Name: "bw unlock", Nth: 1},
	{Name: "7z ", Glued: "-p"},
	{Name: "zip ", Value: "-P"},
	{Name: "unzip ", Value: "-P"},
	{Name: "openssl", Value: "-k"},
	{Name: "security add-generic-password", Value: "-w"},
	{Name: "security add-internet-password", Value: "-w"},
	{Name: "htpasswd -b", Nth: 3},
	{Name: "htpasswd -nb", Nth: 2},
	{Name: "aws configure set", Value: "aws_secret_access_key aws_session_token"},
}

// MaxLine is how far a command line is read, in bytes.
const MaxLine = 4 << 10

// Argument reads the next argument of a command line: its inside, without quotes, and
// where to go on.
func Argument(s string, p, limit int) (start, stop, next int) {
	for p < limit && (s[p] == ' ' || s[p] == '\t' || s[p] == '\\' && p+1 < limit && s[p+1] == '\n' || s[p] == '\n' &&
		p > 0 && s[p-1] == '\\' || s[p] == '=') {
		p++
	}
	if p >= limit {
		return limit, limit, limit
	}
	if n := escapedQuote(s, p); n > 0 {
		end := escapedQuoteEnd(s, p+n, s[p:p+n])
		return p + n, end, min(limit, end+n)
	}
	if c := s[p]; c == '"' || c == '\'' {
		end := QuoteEnd(s, p+1, c)
		next = min(limit, end+1)
		return p + 1, min(end, limit), next
	}
	q := p
	for q < limit && !chars.IsSpace(s[q]) && s[q] != '|' && s[q] != ';' && s[q] != '"' && s[q] != '\'' {
		q++
	}
	if q == p {
		return p, min(p+1, limit), p + 1
	}
	return p, q, q
}
