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
	"BlackBerry|\\bBB10\\b|rim[0-9]+", "Dell.*(?:Streak|Aero|Venue)",
	"SCH-[A-Z]?[0-9]{3}|SGH-[A-Z][0-9]{3,4}|SPH-[A-Z][0-9]{3}",
	"Asus.*Galaxy|PadFone.*Mobile|ZenFone|ZC[0-9]{3}[A-Z]{2}",
	"\\bPalm(?:Source|OS)?\\b|Treo|Pre/[0-9]", "Vertu (?:Ltd)?|Vertu.*Asc",
	"\\bWiko[ _-]|\\b(?:RAINBOW|LENNY|BARRY|DARKMOON)\\b",
	"Alcatel|\\bOT-?[0-9]{3,4}[A-Z]?\\b",
	"Xiaomi|\\bMi[ -](?:[0-9]{1,2}|A[123]|MIX|Max)|Redmi(?: Note)? [0-9]+",
	"\\bvivo [0-9A-Z]+", "realme|RMX[0-9]{4}",
	"TECNO[ -][A-Z0-9]+", "Infinix[ -]X[0-9]{3}", "\\bitel [A-Z][0-9]{4}",
	"Windows (?:Phone(?: OS)?|CE)[ /;0-9.]*",
	"MIDP-[12]\\.[0-9]", "CLDC-1\\.[01]", "J2ME|\\bMIDlet\\b",
	"CriOS/[0-9]+|\\bCrMo\\b", "\\b(?:iPhone|iPod).*Safari|Mobile.*Safari",
	"^Mozilla/[45]\\.[0-9] \\((?:iPhone|iPod|iPad);",
	"^(?:SAMSUNG|SonyEricsson|Nokia|LG|MOT)[-/]?[A-Z]?[0-9]{2,4}[a-z]?",
	"Kyocera|KYOCERA-|\\bC6[0-9]{3}\\b", "Siemens|SIE-[A-Z]{1,2}[0-9]+",
	/* tablets */
	"^(?!.*(?:Phone|Mobile)).*\\b(?:Tablet|Pad|Tab)\\b",
	"Windows NT [0-9.]+;.*(?:Tablet PC|Touch)",
	"PlayBook|RIM Tablet", "HTC[ _](?:Flyer|Jetstream|EVO View)|PG09410",
	"Android.*(?:AT[0-9]{2,3}(?:LE)?|TOSHIBA|FOLIO)",
	"PMP[0-9]{4}[A-Z]?",
	"\\bNovo[ -]?(?:7|8|9|10)\\b",
	"cube U[0-9]+GT|\\bU[0-9]{2}GT",
	"Pantech.*P4100|\\bTabletEMMA\\b", "Broncho.*(?:N701|N708|N802|a710)",
	"Playstation.*(?:Portable|Vita)",
	"Android(?!.*Mobile).*\\b(?:Nexus (?:7|9|10)|Pixel C)\\b",
	"Ainol|Onda[ _-]?V[0-9]{3}",
	/* bots */
	"bingbot|msnbot(?:-media)?/[0-9.]+|BingPreview", "Slurp|Yahoo! ?Slurp",
	"DuckDuck(?:Bot|Go-Favicons-Bot)",
	"LinkedInBot|Pinterest(?:bot)?/[0-9.]+|Slackbot|TelegramBot|WhatsApp",
	"Apache-HttpClient|okhttp/[0-9]|Java/1\\.[0-9._]+", "\\bPHP/[0-9.]+",
	"compatible; ?[A-Z][A-Za-z]+(?:Bot|bot|Spider|Crawler)/?v?[0-9.]*",
	"Screaming Frog|Sitebulb|Lighthouse|GTmetrix|Pingdom|UptimeRobot",
	"Nutch|Scrapy|colly|node-fetch|axios/[0-9.]+",
	"Feed(?:ly|burner|Fetcher)", "^(?!Mozilla|Opera).{1,40}$",
	"SiteExplorer|siteaudit|[Ll]ink ?[Cc]heck",
	/* systems and browsers */
	"Mac OS X 10[._][0-9]+(?:[._][0-9]+)?",
	"MSIE (?:[4-9]|10)\\.[0-9]+|Trident/[0-9.]+",
	"Ubuntu|Fedora|Debian|FreeBSD|SunOS|CrOS",
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

UNIT_TEST(every_regex_is_decided_for_every_ordinary_user_agent)
{
	unsigned i, wanted, n = sizeof regexes / sizeof *regexes;
	char buf[AGENT_MAX];
	struct twin_set set;
	size_t hits = 0;

	unit_seed("ordinary");
	lines_read(&agents, "tests/examples/agents.txt");
	lines_read(&brands, "lists/mobile-brands.list");
	ck_assert_uint_ge(n, 50);
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

int
main(void)
{
	return (unit_main("ordinary", 120));
}
