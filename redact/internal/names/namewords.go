// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"

	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// Anchors are the beginnings that the first stage looks for; every word below
// holds one of them.
var Anchors = []string{
	"pass", "pasw", "pssw", "pwd", "psw", "pw", "secret", "token", "key", "auth", "cred", "cookie", "jwt", "bearer",
	"sig", "pin", "otp", "ssn", "cvv", "cvc", "csc",
	"community", "login", "sas", "pat", "salt", "seed", "mnemonic", "sess", "sid", "kennwort", "senha", "contrase",
	"wachtwoord", "mdp", "tok", "psk",
}

// foreignPasswords are words for a password, in lower case, that are no names in source code: of several
// words, or in other scripts.
var foreignPasswords = strings.Split("mot de passe|kata sandi|kata laluan|heslo|hasło|lösenord|passord|wachtwoord|"+
	"şifre|parola|salasana|jelszó|lozinka|adgangskode|salasõna|slaptažodis|mật khẩu|"+
	"пароль|Şifre|passordet|密码|密碼|パスワード|비밀번호|암호|clave de acceso|口令|暗証番号|κωδικός|"+
	"סיסמה|كلمة المرور|كلمة السر|รหัสผ่าน|पासवर्ड|parolă|wagwoord|geslo|parool|"+
	"pasahitza|fjalëkalimi|lykilorð|focal faire|cyfrinair|nenosiri|лозинка|парола|"+
	"رمز عبور|گذرواژه|پاس ورڈ|zugangscode|code d'accès|codice segreto|palavra passe|"+
	"hasłem|hasła|heslem|hesla|паролем|пароля|jelszava|jelszóval|phrase secrète|phrase de passe|frase de acceso|"+
	"frase de contraseña|frase segreta|frase secreta|wachtwoordzin|lösenfras|парольная фраза|パスフレーズ", "|")

// foreignLogins are words for a user's name and password, and for signing in with them.
var foreignLogins = strings.Split("zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais|"+
	"inloggegevens|dane logowania|inloggningsuppgifter|login data|login details|"+
	"sign in with|signed in with|log in with|login with", "|")

// foreignKeys are words for an API key that are no names in source code.
var foreignKeys = strings.Split("api-schlüssel|api schlüssel|clé api|clé d'api|clé secrète|clave api|"+
	"clave de api|clave secreta|chave api|chave de api|chave secreta|chiave api|"+
	"chiave segreta|klucz api|api-sleutel|api-nyckel|api-ключ|api キー|apiキー|api密钥|"+
	"api 密钥|api 키|clave de la api|clave del api|clave privada|clé de l'api|clé privée|clé d'accès|chave da api|"+
	"chave privada|chave de acesso|chiave dell'api|chiave privata|chiave di accesso|zugriffsschlüssel|klucz do api|"+
	"klucz dostępu|ключ api|ключ к api|ключ доступа|закрытый ключ|api klíč|klíč api|api anahtarı|api-nøgle|"+
	"api-nøkkel|api-avain|api kulcs|api 金鑰|api金鑰|مفتاح api", "|")

// foreignTokens are words for a token that are no names in source code.
var foreignTokens = strings.Split("jeton|geheimschlüssel|geheime sleutel|токен|секретный ключ|令牌|トークン|シークレットキー|토큰|"+
	"비밀 키|密钥|秘密鍵|ficha de acceso|toegangssleutel", "|")

// Vendors are names of services that stand for their key where nothing else is said:
// CLOUDFLARE=…. The value has to look random, not only plausible.
var Vendors = Set("adafruit adobe airtable algolia alibaba asana atlassian beamer bitbucket bittrex cloudflare " +
	"codecov coinbase confluent contentful databricks datadog discord doppler " +
	"droneci dropbox etsy facebook fastly finicity finnhub flickr flutterwave freshbooks gitter gocardless heroku " +
	"hubspot intercom jfrog kraken kucoin launchdarkly linkedin looker " +
	"mailchimp mailgun mapbox mattermost messagebird meraki netlify nytimes okta plaid rapidapi sendbird sendgrid " +
	"sentry shippo snyk squarespace sumologic travisci twilio twitch twitter " +
	"typeform yandex zendesk pyowm openweather owm contribsys " +
	"adyen aiven anthropic apify artifactory assemblyai bitfinex bitly bitrise braintree brevo browserstack " +
	"bugsnag buildkite calendly cerebras chargebee circleci clearbit clickhouse " +
	"clickup clockify cloudinary cloudmersive cloudsmith cohere coveralls crowdin deepgram deepseek digitalocean " +
	"dynatrace elevenlabs freshworks geoapify gocanvas greptile gumroad " +
	"helpscout honeycomb huggingface infracost infura instamojo ipinfo ipstack jotform jumpcloud kanbantool keenio " +
	"klaviyo linode livechat loggly mailerlite mailjet mandrill mapquest " +
	"maxmind mixpanel moralis nightfall nylas onesignal openai openrouter opsgenie pagerduty pastebin paypal " +
	"paystack pinecone pingdom pipedrive plivo postman postmark pushbullet " +
	"razorpay recurly rollbar runpod salesforce saucelabs scaleway scrapingbee shodan shopify signalwire " +
	"smartsheets smartsheet sonarcloud sonarqube sourcegraph spotify statuspage " +
	"storyblok stytch supabase surveymonkey telnyx ticketmaster todoist tomtom trello uploadcare uptimerobot " +
	"vercel virustotal vultr wakatime wandb webflow wistia zapier zenrows zerotier zoho")

// Set is the set of the words of list. It is not copied into its callers, so that programs stay small.
//
//go:noinline
func Set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// verdicts are what words say.
type verdicts map[string]Verdict

// addWords is not copied into its callers, so that programs stay small.
//
//go:noinline
func (m verdicts) addWords(v Verdict, list string) {
	for _, w := range strings.Fields(list) {
		m[w] = v
	}
}

// plainWords tell by themselves, wherever they stand.
var plainWords = func() verdicts {
	m := make(verdicts)
	m.addWords(Verdict{Secret, kinds.Password}, "password passwords passwd passwds passwort passwrd passphrase "+
		"passphrases passcode pwd pwds psw pswd psswd pssword psswrd pswrd psword paswd paswrd pasword kennwort "+
		"senha contrase contrasena contrasenya psk wachtwoord mdp passord passordet bindpw rootpw masterauth authtok")
	m.addWords(Verdict{Secret, kinds.Secret}, "mnemonic")
	m.addWords(Verdict{Telling, kinds.Credential}, "credential credentials creds cred")
	m.addWords(Verdict{Telling, kinds.Signature}, "signature")
	m.addWords(Verdict{Secret, kinds.Authorization}, "authorization authorisation")
	m.addWords(Verdict{Secret, kinds.Cookie}, "cookie cookies")
	m.addWords(Verdict{Telling, kinds.Token}, "jwt bearer")
	return m
}()

// lastWords tell only at the end of a name.
var lastWords = func() verdicts {
	m := make(verdicts)
	m.addWords(Verdict{Secret, kinds.PIN}, "pin otp totp cvv cvc csc")
	m.addWords(Verdict{Secret, kinds.SSN}, "ssn")
	m.addWords(Verdict{Telling, kinds.Secret}, "auth login sas salt seed")
	m.addWords(Verdict{Telling, kinds.Signature}, "sig")
	m.addWords(Verdict{Telling, kinds.Token}, "pat")
	m.addWords(Verdict{Telling, kinds.Session}, "sid session sess sessid sessionid")
	return m
}()

// compounds are ends of words written in one; the first compoundHeads may begin a word
// as well.
var compounds = [...]struct {
	tail  string
	level level
	kind  *kinds.ID
}{
	{"password", Secret, &kinds.Password}, {"passwd", Secret, &kinds.Password},
	{"passphrase", Secret, &kinds.Password}, {"apikey", Secret, &kinds.APIKey},
	{"accesskey", Secret, &kinds.APIKey}, {"secretkey", Secret, &kinds.APIKey},
	{"privatekey", Secret, &kinds.PrivateKey}, {"clientsecret", Secret, &kinds.Secret},
	{"accesstoken", Secret, &kinds.Token}, {"authtoken", Secret, &kinds.Token},
	{"secret", Secret, &kinds.Secret}, {"pwd", Secret, &kinds.Password},
	{"token", Telling, &kinds.Token}, {"key", Secret, &kinds.APIKey},
	{"apikeys", Secret, &kinds.APIKey}, {"pass", Secret, &kinds.Password},
	{"sessid", Telling, &kinds.Session}, {"sessionid", Telling, &kinds.Session},
	{"credentials", Telling, &kinds.Credential}, {"passwords", Secret, &kinds.Password},
}

const compoundHeads = 10

// notCompound end like a compound and are none.
var notCompound = Set("bypass compass overpass surpass trespass underpass encompass monkey turkey hotkey donkey " +
	"jockey hockey whiskey passkey " +
	"minipass askpass rpass detoken pretoken subtoken pubkey publickey primarykey foreignkey cwd fwd")

// BeforeSecret make a key or a token one that opens something.
var BeforeSecret = Set("api access secret private priv auth oauth encryption encrypt decryption decrypt signing " +
	"sign master shared storage hmac aes crypt cipher wep wpa preshared " +
	"deploy license licence session refresh bearer personal security bot app application client consumer service " +
	"account admin root server webhook subscription sas " +
	"integration deployment upload privacy csrfsecret function host shared signature authentication " +
	"authorization identity id jwt x csrf xsrf authenticity recovery")

// AboutWords after a telling word make the name one about it.
var AboutWords = Set("count counts counter max min limit limits policy policies name names type types kind length " +
	"len ttl lifetime lifespan expires expiry expiration expired expire expire size sizes " +
	"url urls uri uris endpoint endpoints file files filename path paths dir directory location algorithm alg algo " +
	"hint field fields label prompt placeholder version versions " +
	"style column columns index page pages rotation required enabled disabled usage used budget bucket strength " +
	"reset attempts attempt retries ref refs reference references " +
	"id ids arn provider providers manager store class format schema validation validator pressed down up event " +
	"events code codes frame frames word press release header headers " +
	"prefix suffix mode status state at age days issuer issuers audience scope scopes set list map regex pattern " +
	"rule rules changed updated created date time timestamp " +
	"source sources result results method methods error errors message messages msg text title description desc " +
	"table stdin env var variable hash hashes fingerprint thumbprint " +
	"pair pairs ring store handler handlers func function callback listener generator factory builder helper " +
	"helpers utils util service services interface info metadata meta " +
	"char chars character characters icon button input form dialog modal screen view link links image key_id kid " +
	"uuid guid rate price cost costs level levels ratio " +
	"size_min broker brokers namespace namespaces from annotation annotations changes history question questions " +
	"answer domain realm host hostname port server servers user username users email group groups role roles " +
	"permission permissions " +
	"supplier tab board bind binding bindings stroke strokes map maps note notes selector agent sock socket option options " +
	"mgr config setting settings tokens tokenizer parser lexer grammar " +
	"exception request requests response " +
	"matcher resolver validator converter serializer strategy repository customizer configurer sql parameter " +
	"param params hasher hashers tooltip help iterations " +
	"context decision reason reasons certificate certificates serial " +
	"validity check reuse prevention tgz timeout complexity must too wrong match kwargs")

// things are the last words of names in programs, besides AboutWords.
var things = Set("client filter context storage operation authentication authorization authority test tests impl " +
	"details attributes parameters collection class object model view requests response exception encoder decoder " +
	"request matcher resolver validator converter repository strategy controller")

// plainKeyWords are what beforeKey takes back.
var plainKeyWords = Set("key keys token tokens pass string session sid sig signature login auth")

// BeforeAny take back whatever follows.
var BeforeAny = Set("max min num number total count n has is show hide no without require requires required use " +
	"uses enable disable allow valid invalid missing forgot public pub " +
	"supports supported toggle skip check verify expired empty bad wrong incorrect " +
	"mismatched unknown next previous prev page " +
	"pagination continuation cursor existing")

// beforeKey take back a key or a token.
var beforeKey = Set("primary foreign sort partition cache cached map dict object row composite unique hot index " +
	"group bucket routing shard dedup dedupe idempotency translation lookup " +
	"natural surrogate schema registry package image hash range answer short arrow enter escape shift ctrl control " +
	"alt function left right down home issuer known tag label annotation " +
	"metric feature flag column order parent issue entity message event locale resource chain data json s config " +
	"property input output prompt completion reasoning eos bos pad " +
	"unk cls sep mask stop special lexer parser sync resume per number string text field form item node path query " +
	"param parameter attribute attr meta sub top any each other " +
	"keyframe by sort group idx pk fk ha author co websocket creation lock starting sequence serial update action recv")

// weakening are the words that do so in running text.
var weakening = Set("public primary foreign cache cached sort partition page next continuation cursor " +
	"idempotency dedup routing " +
	"shard hash lookup object registry translation max")

// afterSecret make a secret an adjective of something harmless.
var afterSecret = Set("santa sauce garden service agent manager managers store size min max length scanner " +
	"scanning detection ballot weapon")
