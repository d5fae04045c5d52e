// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

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
// blanks; long options with a telling name need no entry. A row has the name and the fields behind their first letters.
var Programs = func() (list []Program) {
	for _, row := range strings.Split(programTable, "\n") {
		fields := strings.Split(row, "|")
		p := Program{Name: fields[0]}
		for _, field := range fields[1:] {
			switch rest := field[1:]; field[0] {
			case 'U':
				p.User = rest
			case 'V':
				p.Value = rest
			case 'G':
				p.Glued = rest
			case 'N':
				p.Nth = int(rest[0] - '0')
			case 'S':
				p.Sep = rest
			}
		}
		list = append(list, p)
	}
	return list
}()

const programTable = "" +
	"curl|U-u --user --proxy-user -U|V-b --cookie\n" +
	"http |U-a --auth\n" +
	"mysql|G-p\n" +
	"mariadb|G-p\n" +
	"sshpass|V-p|G-p\n" +
	"docker login|V-p\n" +
	"podman login|V-p\n" +
	"az login|V-p\n" +
	"redis-cli|V-a\n" +
	"mongo|V-p\n" +
	"sqlcmd|V-P|G-P\n" +
	"ldapsearch|V-w|G-w\n" +
	"ldapmodify|V-w|G-w\n" +
	"ldapadd|V-w|G-w\n" +
	"wpa_passphrase|N2\n" +
	"smbclient|U-U --user|S%\n" +
	"lftp|U-u --user|S,\n" +
	"mongosh|V-p\n" +
	"psexec|V-p\n" +
	"plink|V-pw\n" +
	"pscp|V-pw\n" +
	"evil-winrm|V-p\n" +
	"ipmitool|V-P\n" +
	"convertto-securestring|V-String|N1\n" +
	"vault operator unseal|N1\n" +
	"vault login|N1\n" +
	"rabbitmqctl add_user|N2\n" +
	"rabbitmqctl change_password|N2\n" +
	"rabbitmqctl authenticate_user|N2\n" +
	"ansible-vault encrypt_string|N1\n" +
	"net user|N2\n" +
	"net use |N3\n" +
	"useradd|V-p --password\n" +
	"usermod|V-p --password\n" +
	"gh secret set|V-b --body\n" +
	"nmcli|Vpassword wifi-sec.psk\n" +
	"mosquitto_pub|V-P --pw\n" +
	"mosquitto_sub|V-P --pw\n" +
	"snmpget|V-A -X -c\n" +
	"snmpwalk|V-A -X -c\n" +
	"snmpbulkwalk|V-A -X -c\n" +
	"snmpset|V-A -X -c\n" +
	"snmptrap|V-A -X -c\n" +
	"snmp-server community|N1\n" +
	"isakmp |Vkey\n" +
	"key-string |N1\n" +
	"xfreerdp|G/p:\n" +
	"cmdkey|G/pass:\n" +
	"rclone obscure|N1\n" +
	"influx |V-p -t\n" +
	"ftp |U-u\n" +
	"cqlsh|V-p\n" +
	"isql |N3|V-P\n" +
	"bw unlock|N1\n" +
	"7z |G-p\n" +
	"zip |V-P\n" +
	"unzip |V-P\n" +
	"openssl|V-k\n" +
	"security add-generic-password|V-w\n" +
	"security add-internet-password|V-w\n" +
	"htpasswd -b|N3\n" +
	"htpasswd -nb|N2\n" +
	"aws configure set|Vaws_secret_access_key aws_session_token\n" +
	"mysqladmin|G-p\n" +
	"ssh-keygen|V-N -P\n" +
	"unrar |G-p\n" +
	"rar |G-p\n" +
	"ldappasswd|V-w -s -a\n" +
	"ldapwhoami|V-w\n" +
	"ldapdelete|V-w\n" +
	"xh |U-a --auth\n" +
	"samba-tool user create|N2\n" +
	"bcp |V-P\n" +
	"schtasks|V/rp /p /RP /P\n" +
	"ftp> user |N2\n" +
	"snmp-server user|Vsha md5 sha-256 des 128 192 256\n" +
	"radius-server |Vkey\n" +
	"message-digest-key |Vmd5\n" +
	"authentication-key |Vmd5 sha1\n" +
	"pre-shared-key |Vascii-text hexadecimal\n" +
	"codecov|V-t\n" +
	"authtoken |N1\n" +
	"snyk auth |N1\n" +
	"vsce publish|V-p\n" +
	"ovsx publish|V-p\n" +
	"helm registry login|V-p\n" +
	"skopeo login|V-p\n" +
	"oc login|V-p\n" +
	"cf login|V-p\n" +
	"nuget push|V-k\n" +
	"nuget setapikey|N1\n" +
	"mongodump|V-p\n" +
	"mongorestore|V-p\n" +
	"rpcclient|U-U|S%\n" +
	"keytool|V-storepass -keypass -srcstorepass -deststorepass\n" +
	"jarsigner|V-storepass -keypass\n" +
	"signtool|V/p\n" +
	"rasdial |N3\n" +
	"mosquitto_passwd -b|N3\n" +
	"beeline|V-p\n" +
	"pdftotext|V-upw -opw\n" +
	"qpdf --encrypt |N1\n" +
	"db2 connect to |Vusing\n" +
	"iwconfig|Vkey\n" +
	"tacacs-server |Vkey\n" +
	"vrrp |Vtext\n" +
	"wpa-psk |Vascii hex\n" +
	"psksecret |N1\n" +
	"set snmp community |N1\n" +
	"snmp-agent community |Vcipher simple\n" +
	"snmp-server host|V2c\n" +
	"local-user |Virreversible-cipher cipher simple\n" +
	"rocommunity |N1\n" +
	"rwcommunity |N1\n" +
	"createuser |VSHA MD5 AES DES\n" +
	"/oper |N2\n" +
	"hello 3 auth |N2\n" +
	"rootpw |V--plaintext"

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
	for q < limit && !chars.IsSpace(s[q]) && s[q] != '|' && s[q] != ';' && s[q] != '"' && s[q] != '\'' && s[q] != '`' {
		q++
	}
	if q == p {
		return p, min(p+1, limit), p + 1
	}
	return p, q, q
}
