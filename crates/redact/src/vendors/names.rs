//! Names of services whose keys carry no mark of their own: the name beside an opaque value gives them away.
//! Only names that are no ordinary word of programs; `linear`, `box` or `monday` beside a hash mean nothing.

/// Every name, lower case, as it stands in identifiers; joints are spelled out.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split_ascii_whitespace()
}

const NAMES: &str = "
abbysale abstractapi abuseipdb accuweather adafruit adobe adzuna aeroworkflow agora_ airbrake airship airtable airvisual aiven
alchemy alegra aletheia algolia alibaba aliyun alienvault allsports alphavantage amadeus ambee amplitude anthropic anypoint apacta apiflash
apifonica apify apilayer apimatic apiscience apollo appcues appfollow appointedd appoptics appsynergy apptivo artifactory asana assemblyai atera
atlassian audd auth0 autodesk autoklose avazap aviationstack axonaut aylien ayrshare azure_ bannerbear baremetrics
baseapi beamer beebole besnappy besttime betterstack billomat bitbar bitbucket bitcoinaverage bitfinex bitly bitmex bitrise bittrex
blablabus blazemeter blitapp blocknative blogger bombbomb boostnote borgbase braintree brandfetch browserbase browserstack browshot
bscscan btcpay buddyns bugherd bugsnag buildkite bulbul bulksms buttercms caflou calendarific calendly calorieninja campayn cannyio
capsulecrm captaindata carboninterface cashboard caspio censys centralstation cerebras cexio chartmogul chatfule checio checklyhq
checkmarket checkvist cicero circleci clarifai clearbit clickatell clickhouse clickhelp clicksend clickup clinchpad clockify clockwork clojars
closecrm cloudconvert cloudelements cloudflare cloudimage cloudinary cloudmersive cloudplan cloudsmith cloudways cloverly cloze clustdoc codacy codecov
codeclimate codemagic codequiry cohere coinapi coinbase coinlayer coinlib commercejs companyhub
confluent contentful contentstack conversiontools convertapi convertkit convier couchbase countrylayer courier coveralls craftmypdf crowdin cryptocompare
currencycloud currencyfreaks currencylayer currencyscoop currentsapi customerguru customerio d7network dailyco dareboost databox databricks
datadog datafire datagov debounce deepai deepgram deepseek demio detectify detectlanguage dfuse diffbot diggernaut
digicert digitalocean discogs discord disqus ditto_ dnscheck docker docparser documo docusign doppler dotdigital dovico
dronahq droneci dropbox duply dwolla dyspatch dynalist dynatrace eagleeye easyinsight ecostruxure edamam edenai eightxeight elasticemail
elastic_ elevenlabs enablex endorlabs envoyapi eraser_api ethplorer etherscan eventbrite everhour exchangerate exoscale exportsdk extractorapi
facebook faceplusplus fastforex fastly fibery figma fileio finage financialmodelingprep findl finicity finnhub firebase fixer_ flatio fleetbase
flickr flightapi flightlabs flightstats float_api flowflu flutterwave fmfw formbucket formcraft formio formsite foursquare frameio
freshbooks freshdesk freshsales fulcrum fullstory funtranslations fusebill fxmarket gcp_ geckoboard gemini generatedphotos gengo geoapify
 geocodify geocodio geoipify getemail getgeoapi getgist getgeo getresponse getsandbox github gitlab gitter giphy glassnode gnews
goaccess gocanvas gocardless goodday google grafana graphcms graphhopper greptile groovehq gtmetrix guardianapi gumroad gyazo happyscribe harvest_
hellosign helpcrunch helpscout hereapi heroku hetzner hive_api hiveage homeassistant honeybadger honeycomb host_io hubspot huggingface
 hunter_ hybiscus hypertrack ibmcloud iconfinder iexapis iexcloud imagekit imagga infomaniak influx infura insightly instabot instamojo
intercom interseller intra42 intrinio invoiceocean ipapi ipdata ipgeo ipify ipinfo ipquality ipstack jdbc_ jenkins jfrog jiratoken jira_ jotform
jumpcloud jumpseller juro kairos kaleyra kanban_ kanbantool karmacrm keenio kickbox klaviyo klipfolio knapsack kontent kraken kucoin kylas langfuse languagelayer
lark_ lastfm launchdarkly leadfeeder lendflow lessannoyingcrm lexigram lighton line_channel linearapi linear_api linear_client linkedin linkpreview
linode livestorm loadmill localise lokalise loginradius logzio lokalisation looker_ loyverse luno_ magicbell mailboxlayer mailchimp mailerlite mailersend mailgun
mailjet mailmodo mailsac mandrill mapbox mapquest marketstack mattermost mavenlink maxmind meaningcloud mediastack meistertask mesibo messagebird metaapi
metabase metrilo microsoft midise mindmeister minimax miro_ mistral mite_api mixmax mixpanel mockaroo monday_ mongodb moonclerk moonshot moosend moralis mrticktock
mux_token myfreshworks myintervals nasdaqdatalink neon_api neutrinoapi newrelic new_relic newsapi newscatcher newsdata nexmo netlify nftport ngrok nicereply
nightfall noticeable notion npm_token nozbe nubela numverify nutritionix nvidia nylas nytimes oanda okta_ ollama omnisend onedesk onelogin onepagecrm
onesignal onfleet oopspam opencage openai openrouter openuv openweather opsgenie optimizely oracle_ orbitapi overloop owlbot packetfabric paddle
pagarme pagerduty pandadoc pandascore paperform paperspace parallelapi parsehub parseur partnerstack passbase pastebin paydirt payfit paymo paymongo paypal
paystack pdfcrowd pdflayer pdfshift peopledatalabs pepipost percy perigon perplexity phyllo pinata pinecone pingdom pinterest pipedream pipedrive pivotaltracker pixabay
plaid_ plaidkey planetscale planviewleankit planyo plivo podio pollsapi poloniex polymarket positionstack postageapp postbacks posthog postman postmark powrbot prefect 
privateai procfu prodpad prospectcrm protocolsio proxycrawl pubnub purestake pushbullet pusher pushover qualaroo qubole quickmetrics quickbooks rabbitmq rapidapi rawg razorpay
readme_api reallysimplesystems rebrandly recruitee rentman repairshopr replicate replyio requestfinance restpack resend_ revamp revai ringcentral ritekit rocketreach
rockset roninapp route4me rownd rubygems runrunit salesblink salescookie salesflare salesforce salesmate satismeter saucelabs scaleway scalr scrapeowl scraperapi scraperbox
scrapersite scrapestack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer scrutinizer securitytrails segment_ selectpdf semaphore sendbird sendgrid sendinblue sentry
serphouse serpstack sheety sherpadesk shipday shippo shodan shopify shortcut_ shotstack shutterstock signable signalwire signaturit signupgenius sigopt simfin simplesat
simplynoted simvoly sinchmessage sirv siteleaf skrapp skybiometry slack_ smartsheet smartystreets smooch snipcart snowflake snyk sonarcloud sonar sourcegraph sparkpost speechtextai splunk
spoonacular sportsmonk spotify squarespace squareup sslmate stability_ stabilityai statuscake statuspage statsig stitchdata stockdata storecove stormboard stormglass storyblok storychief strava
 stripe stripo stytch sugester sumologic sumo_ supabase supernotes surveyanyplace surveybot surveysparrow survicate swiftype tableau tailscale tallyfy tatumio taxjar teamgate
teamviewer teamwork technicalanalysis telegram telegr_ telnyx tencent textmagic theoddsapi thinkific thousandeyes ticketmaster tickettailor tiingo timecamp tineswebhook tmetric todoist togetherai
tomorrowio tomtom tradier transferwise travelpayouts travisci trello_ trelloapi twelvedata twilio twitch twitter tyntec typeform uclassify unifyid unplugg unsplash upcdatabase uplead uploadcare
uptimerobot upstage upstash upwave uservoice userstack vagrantcloud vatlayer vbout vercel verimail veriphone versioneye viewneo virustotal visualcrossing voicegain vonage voodoosms vouchery vpnapi
vultr vyte wakatime walkscore wandb weatherbit weatherstack webex webflow webscraper webscraping weightsandbiases wepay whoxy wistia woocommerce workday workos workstack worldcoinindex worldweather wrike
xata_ yandex yelp_ yelpapi younegotiate yousign youtube zapier zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce zerotier zipapi zipbooks zipmex zoho_ zonkafeedback zoominfo civo ovh_ gitea larksuite kagi fal_ ibm_ contribsys gocd lob_ sumologic upwork watsonx bluemix weightsandbiases box_ codeium tabnine windsurf together_ fireworks_ groq anyscale replit gumtree
";
