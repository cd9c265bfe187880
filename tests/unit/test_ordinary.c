/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes in the manner of public lists of phones, tablets and bots, over the
 * User-Agents that a site gets: all of them are decided, as PCRE2 decides.
 */

#include "lines.h"
#include "twin_set.h"

static const char * const regexes[] = {
	/* phones */
	"\\biPhone\\b|\\biPod\\b",
	"\\bNexus (?:One|S|4|5X?|6P?)\\b|Pixel [0-9]+a?",
	"HTC|\\bDesire[ _-]?[0-9]*|Sensation|One[ _](?:M[789]|X\\+?|S)\\b",
	"BlackBerry|\\bBB10\\b|rim[0-9]+", "Dell.*(?:Streak|Aero|Venue)",
	"Motorola|\\bMoto[ _-]?[EGXZ]\\b|\\bXT[0-9]{3,4}\\b|Droid(?:X|2)?",
	"\\bSamsung\\b|SM-[GNSA][0-9]{3,4}[A-Z]{0,3}|GT-[INPS][0-9]{4}",
	"SCH-[A-Z]?[0-9]{3}|SGH-[A-Z][0-9]{3,4}|SPH-[A-Z][0-9]{3}",
	"\\bLG\\b;|LG[- ]?(?:[CEGKPSTUV][0-9]{3,4}[A-Z]?|Nexus)",
	"Sony(?:Ericsson)?|Xperia|\\b[CDEFGH][0-9]{4}\\b Build|LT[12][0-9][ai]",
	"Asus.*Galaxy|PadFone.*Mobile|ZenFone|ZC[0-9]{3}[A-Z]{2}",
	"Lumia [0-9]{3,4}|NOKIA[ _-]?[A-Z]?[0-9]{1,4}|Nokia[0-9]{4}",
	"Micromax.*\\b(?:A[0-9]{2,3}|Q[0-9]{3}|Bolt|Canvas)\\b",
	"\\bPalm(?:Source|OS)?\\b|Treo|Pre/[0-9]", "Vertu (?:Ltd)?|Vertu.*Asc",
	"Pantech|IM-A[0-9]{3}[KLS]|P[29]0[0-9]{2}",
	"Fly[ _]?(?:IQ|TS)[0-9]{3}",
	"\\bWiko[ _-]|\\b(?:RAINBOW|LENNY|BARRY|DARKMOON)\\b",
	"iMobile (?:IQ|i-STYLE|idea)|i-mobile[0-9 ]",
	"Simvalley|\\bSP-[0-9]{2}\\b", "Wolfgang|AT-[AB][0-9]{2}[A-Z]?",
	"Alcatel|\\bOT-?[0-9]{3,4}[A-Z]?\\b",
	"\\bNintendo (?:3DS|Switch|WiiU?)\\b", "Amoi|\\bINQ[0-9]?\\b",
	"\\bOnePlus ?[A-Z]?[0-9]{1,4}|\\b(?:KB|LE|NE)2[0-9]{3}\\b",
	"Xiaomi|\\bMi[ -](?:[0-9]{1,2}|A[123]|MIX|Max)|Redmi(?: Note)? [0-9]+",
	"Huawei|HONOR|\\b(?:ELE|VOG|ANE|EML|CLT|POT)-[AL][0-9X]{2}\\b",
	"\\bOPPO\\b|CPH[0-9]{4}|\\bR[0-9]{1,2}[ms]?\\b Build",
	"\\bvivo [0-9A-Z]+", "realme|RMX[0-9]{4}",
	"\\bMeizu\\b|\\bM[0-9]{3}[A-Z]?\\b Build",
	"\\bZTE[ _-]|Blade [A-Z][0-9]+|N[89][0-9]{2} Build",
	"TECNO[ -][A-Z0-9]+", "Infinix[ -]X[0-9]{3}", "\\bitel [A-Z][0-9]{4}",
	"Lava[ _]|iris ?[0-9]{3}", "Karbonn|\\bTitanium S[0-9]+",
	"Spice[ _-]M[iI]|\\bDream UNO\\b", "Android.*\\b(?:Mobile|Phone)\\b",
	"Windows (?:Phone(?: OS)?|CE)[ /;0-9.]*",
	"Opera M(?:ini|obi)/?[0-9.]*", "UC ?Browser|UCWEB[0-9.]*|\\bUBrowser",
	"IEMobile[ /]?[0-9.]+", "Symb(?:ian)?OS|Series[ ]?[4689]0",
	"MIDP-[12]\\.[0-9]", "CLDC-1\\.[01]", "J2ME|\\bMIDlet\\b",
	"UP\\.(?:Browser|Link)/[0-9.]+", "NetFront/[0-9]|ACCESS",
	"Fennec|Firefox.*(?:Mobile|Tablet)", "(?:Mobile|Tablet).*Firefox",
	"CriOS/[0-9]+|\\bCrMo\\b", "\\b(?:iPhone|iPod).*Safari|Mobile.*Safari",
	"Dolfin/[0-9.]+|Maemo", "Skyfire/[0-9]|TeaShark|Blazer/[0-9]",
	"baidubrowser|MQQBrowser/[0-9.]+",
	"^Mozilla/[45]\\.[0-9] \\((?:iPhone|iPod|iPad);",
	"webOS|hpwOS|TouchPad", "bada/[0-9.]+|Tizen[ /][0-9.]*",
	"BREW|\\bbrew/?[0-9.]*", "MeeGo|Jolla",
	"^(?:SAMSUNG|SonyEricsson|Nokia|LG|MOT)[-/]?[A-Z]?[0-9]{2,4}[a-z]?",
	"^[A-Za-z]+[0-9]{3,5}/[0-9.]+ \\([0-9.]+\\)",
	"Profile/MIDP.*Configuration", "Sharp|\\b(?:SH|WX)-?[0-9]{2,3}[A-Z]",
	"Kyocera|KYOCERA-|\\bC6[0-9]{3}\\b", "Siemens|SIE-[A-Z]{1,2}[0-9]+",
	"Sagem|SAGEM-[a-z]+", "Philips[ _]?[0-9@]+|Xenium",
	/* tablets */
	"\\biPad\\b|iPad.*Mobile", "^(?!.*Mobile).*Android",
	"^(?!.*(?:Phone|Mobile)).*\\b(?:Tablet|Pad|Tab)\\b",
	"SAMSUNG.*Tablet|Galaxy.*Tab|SM-[PTX][0-9]{3}|GT-P[0-9]{4}",
	"Kindle|Silk(?:-A[a-z]+)?/[0-9.]*|\\bKF(?:[ADEGJMOST][A-Z]{2,3})\\b",
	"Windows NT [0-9.]+;.*(?:Tablet PC|Touch)",
	"HP (?:Slate|ElitePad|TouchPad)",
	"Transformer|\\bTF[0-9]{3}[A-Z]?\\b|\\bME[0-9]{3}[A-Z]{0,2}\\b",
	"PlayBook|RIM Tablet", "HTC[ _](?:Flyer|Jetstream|EVO View)|PG09410",
	"xoom|sholest|MZ6[01][0-9]", "NOOK|bnrv200a?|BNTV[0-9]{3}A?",
	"Android.*(?:A100|A101|A[15]1[01]|A200|A500|A700|B1-[A-Z0-9]+)\\b",
	"Android.*(?:AT[0-9]{2,3}(?:LE)?|TOSHIBA|FOLIO)",
	"\\bL-06C|LG-V[0-9]{3}",
	"Android.*(?:F-01D|F-02F|F-05E|F-10D|M532|Q572)\\b",
	"PMP[0-9]{4}[A-Z]?",
	"Idea(?:Tab|Pad)|Lenovo.*TAB|\\bTB-?[X0-9][0-9]{3}[FLVX]\\b",
	"Archos [0-9]{2,3}[a-zA-Z]*|\\b(?:7|8|9|10)[0-9]? ?Titan",
	"\\bNovo[ -]?(?:7|8|9|10)\\b",
	"Sony.*Tablet|SGP[T0-9]{3,4}|Xperia Tablet",
	"\\bPI[0-9]{4}[A-Z]?\\b.*(?:Philips)?",
	"cube U[0-9]+GT|\\bU[0-9]{2}GT",
	"COBY|MID(?:1042|1045|1125|7012|70[0-9]{2}|8[0-9]{3})",
	"\\b(?:MID|M7|M9|MS|M8) ?(?:Build|PC)\\b", "\\bRK[0-9]{4}\\b|Rockchip",
	"Pantech.*P4100|\\bTabletEMMA\\b", "Broncho.*(?:N701|N708|N802|a710)",
	"\\bVersus|Vtab|\\bStorex|Zync ?(?:Z[0-9]+)?\\b",
	"Positivo|YPY[_ -][0-9]", "Nabi(?:2|JR|SMT|XD)|NABI-?A",
	"Playstation.*(?:Portable|Vita)",
	"Cross[ -]?(?:Meteor|AD)|Trekstor.*(?:SurfTab|ST[0-9]+)",
	"OYSTERS T[0-9]+",
	"Android(?!.*Mobile).*\\b(?:Nexus (?:7|9|10)|Pixel C)\\b",
	"Microsoft.*Surface|Windows NT.*ARM;", "Hudl HT7S3|Hudl 2", "T-Hub2",
	"Chromecast|Android TV|BRAVIA", "Teclast|\\b[PTX][0-9]{2}(?:HD|s)?\\b",
	"Ainol|Onda[ _-]?V[0-9]{3}",
	/* bots */
	"bot\\b|[Cc]rawl(?:er|ing)?\\b|spider",
	"Googlebot(?:-(?:Image|Video|News))?",
	"bingbot|msnbot(?:-media)?/[0-9.]+|BingPreview", "Slurp|Yahoo! ?Slurp",
	"Baidu ?spider(?:-image)?",
	"Yandex(?:Bot|Images|Metrika|Direct)/?[0-9.]*",
	"DuckDuck(?:Bot|Go-Favicons-Bot)",
	"AhrefsBot|SemrushBot|MJ12bot|DotBot",
	"facebookexternalhit|Facebot|facebookcatalog", "Twitterbot/[0-9.]+",
	"LinkedInBot|Pinterest(?:bot)?/[0-9.]+|Slackbot|TelegramBot|WhatsApp",
	"Applebot/[0-9.]+", "archive\\.org_bot|ia_archiver|heritrix",
	"^(?:curl|Wget|libwww-perl|Python-urllib|python-requests)/",
	"Apache-HttpClient|okhttp/[0-9]|Java/1\\.[0-9._]+", "\\bPHP/[0-9.]+",
	"(?:\\b|_)(?:fetch|scan|monitor|check)(?:er|bot)?(?:\\b|_)",
	"\\+https?://[^ ;)]+(?:bot|crawl|spider|help)[^ ;)]*",
	"compatible; ?[A-Z][A-Za-z]+(?:Bot|bot|Spider|Crawler)/?v?[0-9.]*",
	"^Mozilla/5\\.0 \\(compatible; [A-Za-z0-9!~ -]+[;/)]",
	"HeadlessChrome|Phantom",
	"Screaming Frog|Sitebulb|Lighthouse|GTmetrix|Pingdom|UptimeRobot",
	"[a-z0-9.+-]+@[a-z0-9.-]+\\.[a-z]{2,}",
	"W3C[_-](?:Validator|CheckLink)",
	"Nutch|Scrapy|colly|node-fetch|axios/[0-9.]+",
	"zgrab|masscan|nmap|nikto",
	"(?<![A-Za-z])(?:Seekport|Qwantify|Exabot|Sogou|coccoc)",
	"Feed(?:ly|burner|Fetcher)", "^(?!Mozilla|Opera).{1,40}$",
	"^(?!.*\\b(?:Mozilla|Opera)/).*http", "^\\W|^$|^-$",
	"(\\b[a-z]{4,})/[0-9.]+.* \\1\\b", "(?<!cu)bot(?:[/; )]|$)",
	"SiteExplorer|siteaudit|[Ll]ink ?[Cc]heck",
	"Bytespider|GPTBot|CCBot|ClaudeBot|Amazonbot",
	/* systems and browsers */
	"Windows NT (?:5\\.[12]|6\\.[0-3]|10\\.0)",
	"Mac OS X 10[._][0-9]+(?:[._][0-9]+)?",
	"Chrome/(?:[1-9]|[1-9][0-9])\\.[0-9.]+",
	"Version/[0-9.]+.*Safari/[0-9.]+",
	"MSIE (?:[4-9]|10)\\.[0-9]+|Trident/[0-9.]+",
	"(?:Firefox|Iceweasel)/[0-9.]+", "Edg(?:e|A|iOS)?/[0-9.]+|OPR/[0-9.]+",
	"\\b(?:SMART-TV|Web0S|AppleTV|CrKey)\\b",
	"Ubuntu|Fedora|Debian|FreeBSD|SunOS|CrOS",
	"Konqueror/[0-9.]+|Epiphany|Midori|Lynx|Links|w3m",
};

/* %b is a brand, %m a model, %n a number, %d a digit. */
static const char * const forms[] = {
	"%b%n/2.0 (0%d.%n) Profile/MIDP-2.0 Configuration/CLDC-1.1",
	"%b%n/1.0 Browser/4.%d Profile/MIDP-2.0 Configuration/CLDC-1.1 "
	    "UP.Link/6.%d.0",
	"Mozilla/4.0 (compatible; MSIE 6.0; Windows CE; %b%n; 240x320)",
	"Mozilla/5.0 (Linux; U; en-gb; %b%n Build/%d%n) AppleWebKit/534.30 "
	    "(KHTML, like Gecko) Version/4.%d Mobile Safari/534.30",
	"Mozilla/5.0 (%b%n; U; CPU like Mac OS X; en) AppleWebKit/420.%d "
	    "(KHTML, like Gecko) Version/3.0 Mobile/1A%n Safari/419.3",
	"Opera/9.80 (%b%n; Opera Mini/%d.0.%n/28.%n; U; en) Presto/2.8.119 "
	    "Version/11.10",
	"Mozilla/5.0 (Linux; Android 1%d; %m) AppleWebKit/537.36 (KHTML, like "
	    "Gecko) Chrome/12%d.0.%n.%d Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android %d.1; %m Build/%m.%n) AppleWebKit/537.36 "
	    "(KHTML, like Gecko) Chrome/%d%d.0.%n.%d Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 1%d_%d like Mac OS X) AppleWebKit/"
	    "605.1.15 (KHTML, like Gecko) Version/1%d.%d Mobile/15E148 "
	    "Safari/604.1",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, "
	    "like Gecko) Chrome/12%d.0.%n.%d Safari/537.36 Edg/12%d.0.%n.%d",
	"Mozilla/5.0 (compatible; %bbot/%d.%d; +http://www.example.com/bot%n)",
	"%bFetcher/%d.%n (+https://crawler.example.org/help; ops@example.org)",
};
static const char * const models[] = {
	"SM-G99%dB", "SM-T%n", "Pixel %d", "Pixel %d Pro", "M20%nJ", "CPH%n",
	"Redmi Note %d", "Lenovo TB-X%n", "moto g(%d)", "KFTT", "Nexus %d",
	"vivo 19%d%d", "ELE-L%d9", "RMX%n", "XT%n", "LG-K%n", "HTC Desire %n"
};

#define AGENTS		unit_rounds(2000, 10)
#define AGENT_MAX	600

static struct lines agents, brands;

/* Writes a form out, to where there is room for it. */
static char *
write_form(char *to, const char *form)
{
	struct fm_text brand;

	for (; *form != '\0'; form++) {
		if (*form != '%') {
			*to++ = *form;
			continue;
		}
		switch (*++form) {
		case 'b':
			brand = lines_any(&brands);
			to = mempcpy(to, brand.b, brand.len);
			break;
		case 'm':
			to = write_form(to, models[unit_below(sizeof models /
			    sizeof *models)]);
			break;
		case 'n':
			to += sprintf(to, "%u", 100 + unit_below(9900));
			break;
		default:
			*to++ = (char)('1' + unit_below(9));
		}
	}
	return (to);
}

static struct fm_text
random_agent(char buf[AGENT_MAX])
{
	if (unit_below(10) < 3)
		return (lines_any(&agents));
	return (fm_text_span(buf, write_form(buf,
	    forms[unit_below(sizeof forms / sizeof *forms)])));
}

START_TEST(every_regex_is_decided_for_every_ordinary_user_agent)
{
	unsigned i, wanted, n = sizeof regexes / sizeof *regexes;
	char buf[AGENT_MAX];
	struct twin_set set;
	size_t hits = 0;

	unit_seed("ordinary");
	lines_read(&agents, "tests/examples/agents.txt");
	lines_read(&brands, "lists/mobile-brands.list");
	ck_assert_uint_ge(n, 150);
	twin_set_init(&set);
	for (i = 0; i < n; i++)
		ck_assert(twin_set_add(&set, FM_PATTERN_REGEX, true,
		    fm_text_of(regexes[i])));
	twin_set_make(&set);
	for (i = 0, wanted = AGENTS; i < wanted; i++)
		hits += twin_set_check(&set, random_agent(buf)) > 0;
	printf("ordinary: %lu pairs, %lu of them match, %u tried\n",
	    set.pairs, set.hits, set.tally.confirms);
	ck_assert_uint_eq(set.tally.over_limit, 0);
	ck_assert_uint_eq(set.open, 0);
	ck_assert_uint_gt(hits, wanted / 2);
	twin_set_fini(&set);
	fm_file_free(&agents.file);
	fm_file_free(&brands.file);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ordinary");

	tcase_add_test(tc,
	    every_regex_is_decided_for_every_ordinary_user_agent);
	tcase_set_timeout(tc, 120);
	return (unit_run("ordinary", tc));
}
