// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// nameAnchors are the beginnings that the first stage looks for; every word below
// holds one of them.
var nameAnchors = []string{
	"pass", "pasw", "pssw", "pwd", "psw", "pw", "secret", "token", "key", "auth", "cred", "cookie", "jwt", "bearer", "sig", "pin", "otp", "ssn", "cvv", "cvc", "csc",
	"community", "login", "sas", "pat", "salt", "seed", "mnemonic", "sess", "sid", "kennwort", "senha", "contrase", "wachtwoord", "mdp", "tok",
}

// vendors are names of services that stand for their key where nothing else is said:
// CLOUDFLARE=…. The value has to look random, not only plausible.
var vendors = set("adafruit adobe airtable algolia alibaba asana atlassian beamer bitbucket bittrex cloudflare codecov coinbase confluent contentful databricks datadog discord doppler " +
	"droneci dropbox etsy facebook fastly finicity finnhub flickr flutterwave freshbooks gitter gocardless heroku hubspot intercom jfrog kraken kucoin launchdarkly linkedin looker " +
	"mailchimp mailgun mapbox mattermost messagebird meraki netlify nytimes okta plaid rapidapi sendbird sendgrid sentry shippo snyk squarespace sumologic travisci twilio twitch twitter " +
	"typeform yandex zendesk pyowm openweather owm contribsys " +
	"adyen aiven anthropic apify artifactory assemblyai bitfinex bitly bitrise braintree brevo browserstack bugsnag buildkite calendly cerebras chargebee circleci clearbit clickhouse " +
	"clickup clockify cloudinary cloudmersive cloudsmith cohere coveralls crowdin deepgram deepseek digitalocean dynatrace elevenlabs freshworks geoapify gocanvas greptile gumroad " +
	"helpscout honeycomb huggingface infracost infura instamojo ipinfo ipstack jotform jumpcloud kanbantool keenio klaviyo linode livechat loggly mailerlite mailjet mandrill mapquest " +
	"maxmind mixpanel moralis nightfall nylas onesignal openai openrouter opsgenie pagerduty pastebin paypal paystack pinecone pingdom pipedrive plivo postman postmark pushbullet " +
	"razorpay recurly rollbar runpod salesforce saucelabs scaleway scrapingbee shodan shopify signalwire smartsheets smartsheet sonarcloud sonarqube sourcegraph spotify statuspage " +
	"storyblok stytch supabase surveymonkey telnyx ticketmaster todoist tomtom trello uploadcare uptimerobot vercel virustotal vultr wakatime wandb webflow wistia zapier zenrows zerotier zoho")

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// plainWords tell by themselves, wherever they stand.
var plainWords = func() map[string]verdict {
	m := make(map[string]verdict)
	add := func(v verdict, list string) {
		for _, w := range strings.Fields(list) {
			m[w] = v
		}
	}
	add(verdict{secret, idPassword}, "password passwords passwd passwds passwort passwrd passphrase passphrases passcode pwd pwds psw pswd psswd pssword psswrd pswrd psword paswd paswrd pasword kennwort senha contrase wachtwoord mdp")
	add(verdict{secret, idSecret}, "mnemonic")
	add(verdict{telling, idSecret}, "credential credentials creds cred")
	add(verdict{telling, idSignature}, "signature")
	add(verdict{secret, idAuthorization}, "authorization authorisation")
	add(verdict{secret, idCookie}, "cookie cookies")
	add(verdict{telling, idToken}, "jwt bearer")
	return m
}()

// lastWords tell only at the end of a name.
var lastWords = map[string]verdict{
	"pin": {secret, idPIN}, "otp": {secret, idPIN}, "totp": {secret, idPIN}, "cvv": {secret, idPIN}, "cvc": {secret, idPIN}, "csc": {secret, idPIN},
	"ssn":  {secret, idSSN},
	"auth": {telling, idSecret}, "login": {telling, idSecret}, "sig": {telling, idSignature}, "sas": {telling, idSecret}, "pat": {telling, idToken},
	"salt": {telling, idSecret}, "seed": {telling, idSecret},
	"sid": {telling, idSession}, "session": {telling, idSession}, "sess": {telling, idSession}, "sessid": {telling, idSession}, "sessionid": {telling, idSession},
}

// compounds are ends of words written in one; the first compoundHeads may begin a word
// as well.
var compounds = []struct {
	tail    string
	verdict verdict
}{
	{"password", verdict{secret, idPassword}}, {"passwd", verdict{secret, idPassword}}, {"passphrase", verdict{secret, idPassword}}, {"apikey", verdict{secret, idAPIKey}},
	{"accesskey", verdict{secret, idAPIKey}}, {"secretkey", verdict{secret, idAPIKey}}, {"privatekey", verdict{secret, idPrivateKey}}, {"clientsecret", verdict{secret, idSecret}},
	{"accesstoken", verdict{secret, idToken}}, {"authtoken", verdict{secret, idToken}},
	{"secret", verdict{secret, idSecret}}, {"pwd", verdict{secret, idPassword}}, {"token", verdict{telling, idToken}}, {"key", verdict{secret, idAPIKey}},
	{"apikeys", verdict{secret, idAPIKey}}, {"pass", verdict{secret, idPassword}}, {"sessid", verdict{telling, idSession}}, {"sessionid", verdict{telling, idSession}},
	{"credentials", verdict{telling, idSecret}}, {"passwords", verdict{secret, idPassword}},
}

const compoundHeads = 10

// notCompound end like a compound and are none.
var notCompound = set("bypass compass overpass surpass trespass underpass encompass monkey turkey hotkey donkey jockey hockey whiskey passkey " +
	"detoken pretoken subtoken pubkey publickey primarykey foreignkey cwd fwd")

// beforeSecret make a key or a token one that opens something.
var beforeSecret = set("api access secret private priv auth oauth encryption encrypt decryption decrypt signing sign master shared storage hmac aes crypt cipher wep wpa preshared " +
	"deploy license licence session refresh bearer personal security bot app application client consumer service account admin root server webhook subscription sas " +
	"integration deployment project upload privacy csrfsecret function host shared signature authentication authorization identity id jwt x")

// aboutWords after a telling word make the name one about it.
var aboutWords = set("count counts counter max min limit limits policy policies name names type types kind length len ttl expires expiry expiration expired expire expire size sizes " +
	"url urls uri uris endpoint endpoints file files filename path paths dir directory location algorithm alg algo hint field fields label prompt placeholder version versions " +
	"style column columns index page pages rotation required enabled disabled usage used budget bucket strength reset attempts attempt retries ref refs reference references " +
	"id ids arn provider providers manager store class format schema validation validator pressed down up event events code codes frame frames word press release header headers " +
	"prefix suffix mode status state at age days issuer issuers audience scope scopes set list map regex pattern rule rules changed updated created date time timestamp " +
	"source sources result results method methods error errors message messages msg text title description desc table stdin env var variable hash hashes fingerprint thumbprint " +
	"pair pairs ring store handler handlers func function callback listener generator factory builder helper helpers utils util service services interface info metadata meta " +
	"char chars character characters icon button input form dialog modal screen view link links image key_id kid uuid guid rate price cost costs level levels ratio " +
	"size_min broker brokers namespace namespaces from annotation annotations changes history question questions answer domain realm host hostname port server servers user username users email group groups role roles permission permissions " +
	"tab board bind binding bindings stroke strokes map maps note notes selector agent sock socket option options config setting settings tokens tokenizer parser lexer grammar")

// plainKeyWords are what beforeKey takes back.
var plainKeyWords = set("key keys token tokens pass string session sid sig signature login auth")

// beforeAny take back whatever follows.
var beforeAny = set("max min num number total count n has is show hide no without require requires required use uses enable disable allow valid invalid missing forgot public pub " +
	"supports supported toggle skip check verify expired unknown csrf xsrf authenticity next previous prev page pagination continuation cursor existing")

// beforeKey take back a key or a token.
var beforeKey = set("primary foreign sort partition cache cached map dict object row composite unique hot index group bucket routing shard dedup dedupe idempotency translation lookup " +
	"natural surrogate schema registry package image hash range answer short arrow enter escape shift ctrl control alt function left right down home issuer known tag label annotation " +
	"metric feature flag column order parent issue entity message event locale resource chain data json s config property input output prompt completion reasoning eos bos pad " +
	"unk cls sep mask stop special lexer parser sync resume per number string text field form item node path query param parameter attribute attr meta sub top any each other " +
	"keyframe by sort group idx pk fk ha author co websocket")

// afterSecret make a secret an adjective of something harmless.
var afterSecret = set("santa sauce garden service agent manager managers store size min max length scanner scanning detection ballot weapon")
