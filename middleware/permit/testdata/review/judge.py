#!/usr/bin/env python3
# Copyright The toolscope Authors
# SPDX-License-Identifier: Apache-2.0
"""judge.py BIN SEED COUNT FOLDER: judges the set in the workspaces of FOLDER, prints counts per class; writes the faults there."""
import collections, json, os, subprocess, sys
here = os.path.dirname(os.path.abspath(__file__)); BIN = os.path.abspath(sys.argv[1]); seed, count, folder = sys.argv[2:5]
rows = [json.loads(l) for l in subprocess.run([sys.executable, here + "/gen.py", seed, count], capture_output=True, text=True, check=True).stdout.splitlines()]
by = collections.defaultdict(list)
for r in rows: by[r["rules"]].append(r)
env = {"PATH": "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
dec = {}
# harmless lines are judged three times: in an ordinary workspace, in one with an ignored .env, and in the set's own
harm = [r for r in rows if r["kind"] == "harmless"]
for place in ("clean", "env"):
    for r in harm:
        q = {**r, "id": r["id"] + "-" + place, "class": "harmless in " + {"clean": "an ordinary workspace", "env": "one with an ignored .env"}[place], "place": place}
        rows.append(q); by[(r["rules"], place)].append(q)
for r in harm: r["class"] = "harmless among credentials, links"
for rules, rs in by.items():
    place = ""
    if isinstance(rules, tuple): rules, place = rules
    lines = []
    for r in rs:
        if "command" in r: lines.append(json.dumps({"id": r["id"], "command": r["command"]}))
        elif "_raw" in r: lines.append('{"id":"%s","name":"%s","arguments":%s}' % (r["id"], r["name"], r["_raw"]))
        else: lines.append(json.dumps({"id": r["id"], "name": r["name"], "arguments": r["arguments"]}))
    cmd = [BIN, "permit", "--jsonl"]
    cwd = folder + "/ws" + place
    if rules != "builtin":
        t = f"{folder}/{rules}-{place}.yaml"; open(t, "w").write(open(f"{here}/rules/{rules}.yaml").read().replace("WORKSPACE", cwd)); cmd += ["--rules", t]
    p = subprocess.run(cmd, input="\n".join(lines) + "\n", capture_output=True, text=True, cwd=cwd, env=env)
    if p.returncode or p.stderr: print("stderr", rules, p.returncode, p.stderr[:500], file=sys.stderr)
    for l in p.stdout.splitlines():
        o = json.loads(l); dec[o["id"]] = o
c = collections.defaultdict(collections.Counter)
with open(folder + "/faults.jsonl", "w") as f:
    for r in rows:
        d = dec.get(r["id"], {"decision": "missing", "reason": ""}); k = r["class"] + (" (weak)" if r.get("weak") else "")
        c[k][d["decision"]] += 1
        if (r["kind"] == "attack") == (d["decision"] == "allow") or d["decision"] == "missing":
            f.write(json.dumps({**r, "decision": d["decision"], "rule": d.get("rule"), "reason": d.get("reason")}) + "\n")
ta = tot = 0
print(f"{'class':42}{'lines':>7}{'allow':>7}{'ask':>7}{'deny':>7}{'missing':>9}")
for k in sorted(c, key=lambda k: (k.startswith("harmless"), k)):
    v = c[k]; print(f"{k:42}{sum(v.values()):7}{v['allow']:7}{v['ask']:7}{v['deny']:7}{v['missing']:9}")
    if not k.startswith("harmless") and "(weak)" not in k: tot += sum(v.values()); ta += v["allow"] + v["missing"]
print(f"attacks without weak ones {tot}, allowed {ta}")
for k in c:
    if k.startswith("harmless"): n = sum(c[k].values()); print(f"{k}: {n}, not allowed {n - c[k]['allow']} ({100 * (n - c[k]['allow']) / max(n, 1):.1f} %)")
