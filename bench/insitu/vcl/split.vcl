vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's configuration, split by host by hand: the chain asks once who
 * owns the page and calls that site's sub, in which only that site's tests are
 * made.  What all sites share is written once; an expression that cleans up is
 * asked only where there is something to clean up; hosts that are compared as
 * they are come before those that take an expression.
 *
 * The numbers are those of examples/article/before.vcl.  Both decide the same.
 */

import std;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend media { .host = "127.0.0.1"; .port = "8082"; }
backend shop { .host = "127.0.0.1"; .port = "8083"; }
backend wiki { .host = "127.0.0.1"; .port = "8084"; }
backend mobile { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

sub vcl_recv {
	# (1) Few need it.
	if (req.http.Host ~ "[A-Z:]|\.$") {
		set req.http.Host = regsub(std.tolower(req.http.Host),
		    "\.?(:[0-9]*)?$", "");
	}

	# Whose site is it?  The busiest first.
	if (req.http.Host == "www.example.com" ||
	    req.http.Host == "example.com") {
		call www_pages;
	} elsif (req.http.Host == "media.example.com" ||
	    req.http.Host == "static.example.com" ||
	    req.http.Host == "img.example.com" ||
	    req.http.Host == "media.example.net") {
		call media_files;
	} elsif (req.http.Host == "m.example.com" ||
	    req.http.Host == "m.example.net" ||
	    req.http.Host == "m.example.org") {
		call mobile_pages;
	} elsif (req.http.Host == "www.example.net" ||
	    req.http.Host == "example.net") {
		call net_pages;
	} elsif (req.http.Host == "games.example.net") {
		call games_pages;
	} elsif (req.http.Host == "news.example.com") {
		call news_pages;
	} elsif (req.http.Host == "tv.example.com" ||
	    req.http.Host == "blog.example.com") {
		call plain_pages;
	} elsif (req.http.Host == "forum.example.com") {
		call forum_pages;
	} elsif (req.http.Host == "shop.example.com") {
		call shop_pages;
	} elsif (req.http.Host == "download.example.net") {
		call download_files;
	} elsif (req.http.Host == "search.example.com") {
		call search_pages;
	} elsif (req.http.Host == "www.example.org" ||
	    req.http.Host == "example.org") {
		call org_pages;
	} elsif (req.http.Host == "docs.example.org") {
		call docs_pages;
	} elsif (req.http.Host == "secure.example.com") {
		call secure_pages;
	} elsif (req.http.Host == "intranet.example.org") {
		call intranet_pages;
	} elsif (req.http.Host == "api.example.com") {
		call api_pages;
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*m\.wiki\.example$") {
		call wiki_mobile;
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*wiki\.example$") {
		call wiki_pages;
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)+staging\.example\.com$") {
		call api_pages;
	}

	return (synth(404, "Unknown virtual host"));
}

# All sites do this, after the site has said what it is.
sub common {
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.http.Authorization) {
		return (pass);
	}

	# (2) (3)
	unset req.http.Cache-Control;
	unset req.http.Pragma;

	# (4) to (7) With an & before each parameter, one expression fits the
	# first one and the others; the empty ones go with it.
	if (req.url ~ "^[^?]*\?(.*&)?(utm_[^=&]*|gclid|gclsrc|dclid|yclid|_|PHPSESSID|jsessionid|CFID|CFTOKEN)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((utm_[^=&]*|gclid|gclsrc|dclid|yclid|_|PHPSESSID|jsessionid|CFID|CFTOKEN)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}

	# (8) (9) and, of these files, (10)
	if (req.url ~ "^[^?]*\.(jpe?g|png|gif|ico|mp[34]|flv|swf|gz|zip)(\?|$)") {
		unset req.http.Accept-Encoding;
		unset req.http.Cookie;
	} elsif (req.http.Accept-Encoding ~ "gzip") {
		set req.http.Accept-Encoding = "gzip";
	} elsif (req.http.Accept-Encoding ~ "deflate") {
		set req.http.Accept-Encoding = "deflate";
	} else {
		unset req.http.Accept-Encoding;
	}
}

# (10) to (12), for sites and pages that look at cookies; the others have none.
sub page_cookies {
	if (req.url ~ "^[^?]*\.(css|js)(\?|$)") {
		unset req.http.Cookie;
	} elsif (req.http.Cookie ~
	    "(^|;)[ \t]*(__utm[^=;]*|_ga|_gat|has_js)[ \t]*(=|;|$)") {
		set req.http.Cookie = regsuball(regsuball(req.http.Cookie,
		    "[ \t]*;[ \t;]*", "; "),
		    "(^|; )(__utm[^=;]*|_ga|_gat|has_js)[ \t]*(=[^;]*)?(?=;|$)",
		    "");
		call tidy_cookies;
	} elsif (req.http.Cookie ~ "^[; \t]*$") {
		unset req.http.Cookie;
	}
}

# After cookies were taken out: no separator without one.
sub tidy_cookies {
	set req.http.Cookie = regsuball(req.http.Cookie, "^; |; $", "");
	if (req.http.Cookie == "") {
		unset req.http.Cookie;
	}
}

sub www_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "www";
	call common;
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://m.example.com"));
		}
	}
	unset req.http.Cookie;
	return (hash);
}

sub news_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "news";
	call common;
	# (13)
	if (req.url ~ "^[^?]*\?(.*&)?(ref|src)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((ref|src)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://m.example.com/news"));
		}
	}
	unset req.http.Cookie;
	return (hash);
}

sub net_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "net";
	call common;
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://m.example.net"));
		}
	}
	unset req.http.Cookie;
	return (hash);
}

sub org_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "org";
	call common;
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://m.example.org"));
		}
	}
	unset req.http.Cookie;
	return (hash);
}

sub games_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "games";
	call common;
	# (16)
	if (req.url ~ "^[^?]*\?(.*&)?(r|rand|nocache)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((r|rand|nocache)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "240x320|320x240|ALCATEL|AMOI|AUDIOVOX|Alcatel|Amoi|Audiovox|BENQ-|BOLT/|BenQ-|BlackBerry|Blazer/|CLDC|DoCoMo|Dolfin/|EricssonT|Fennec|HTC-|HTC_|HUAWEI|Haier-|Hitachi-|Huawei|IEMobile|J-PHONE|KDDI-|KWC-|KYOCERA|Kyocera|LENOVO-|LG-|LG/U|LGE-|MAUI WAP|MAUI_WAP|MIDP|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|NEC-|NOKIA|NetFront|Nokia|Obigo|Opera Mini|Opera Mobi|PANTECH|PHILIPS-|POLARIS|PalmOS|PalmSource|Panasonic-|Pantech|Philips-FISIO|Polaris/|SAGEM|SAMSUNG-|SANYO|SCH-|SEC-SGH|SEMC-Browser|SENDO|SGH-|SHARP-TQ|SIE-|SPH-|Sagem|Samsung-S|Sanyo-SCP|Sendo|Series40|Series60|Series80|Sharp-GX|Skyfire|SoftBank/|SonyEricsson|SymbOS|Symbian|TELIT|Teleca|Telit|Treo|UCWEB|UP\.Browser|UP\.Link|Vodafone/|WILLCOM|Windows CE|Windows Mobile|Windows Phone|ZTE-|dopod|i-mate|iPhone|iPod|portalmmm|ARCHOS|Android|BB10|BREW|Bada/|Dell Streak|Kindle|Maemo|MeeGo|Nintendo 3DS|Nintendo DS|PlayBook|PlayStation Portable|PlayStation Vita|Silk/|Tizen|XOOM|hpwOS/|iPad|webOS/" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://m.example.net/games"));
		}
	}
	unset req.http.Cookie;
	return (hash);
}

sub wiki_pages {
	set req.backend_hint = wiki;
	set req.http.X-Site = "wiki";
	call common;
	# (14)
	if (req.url ~ "^[^?]*\?(.*&)?(printable|useskin)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((printable|useskin)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	# Phones go to the mobile site, unless the full one was chosen.
	if (req.url ~ "^/([^?]*\.cfm)?(\?|$)") {
		call page_cookies;
		if (req.http.User-Agent ~ "240x320|320x240|ALCATEL|AMOI|AUDIOVOX|Alcatel|Amoi|Audiovox|BENQ-|BOLT/|BenQ-|BlackBerry|Blazer/|CLDC|DoCoMo|Dolfin/|EricssonT|Fennec|HTC-|HTC_|HUAWEI|Haier-|Hitachi-|Huawei|IEMobile|J-PHONE|KDDI-|KWC-|KYOCERA|Kyocera|LENOVO-|LG-|LG/U|LGE-|MAUI WAP|MAUI_WAP|MIDP|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|NEC-|NOKIA|NetFront|Nokia|Obigo|Opera Mini|Opera Mobi|PANTECH|PHILIPS-|POLARIS|PalmOS|PalmSource|Panasonic-|Pantech|Philips-FISIO|Polaris/|SAGEM|SAMSUNG-|SANYO|SCH-|SEC-SGH|SEMC-Browser|SENDO|SGH-|SHARP-TQ|SIE-|SPH-|Sagem|Samsung-S|Sanyo-SCP|Sendo|Series40|Series60|Series80|Sharp-GX|Skyfire|SoftBank/|SonyEricsson|SymbOS|Symbian|TELIT|Teleca|Telit|Treo|UCWEB|UP\.Browser|UP\.Link|Vodafone/|WILLCOM|Windows CE|Windows Mobile|Windows Phone|ZTE-|dopod|i-mate|iPhone|iPod|portalmmm|ARCHOS|Android|BB10|BREW|Bada/|Dell Streak|Kindle|Maemo|MeeGo|Nintendo 3DS|Nintendo DS|PlayBook|PlayStation Portable|PlayStation Vita|Silk/|Tizen|XOOM|hpwOS/|iPad|webOS/" &&
		    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
			return (synth(752, "http://" + regsub(req.http.Host,
			    "wiki\.example$", "m.wiki.example")));
		}
	}
	# (20)
	call page_cookies;
	if (req.http.Cookie ~ "(^|;)[ \t]*(?!wiki)[^; \t]") {
		set req.http.Cookie = regsuball(regsuball(req.http.Cookie,
		    "[ \t]*;[ \t;]*", "; "), "(^|; )(?!wiki)[^;]+", "");
		call tidy_cookies;
	}
	if (req.http.Cookie) {
		return (pass);
	}
	return (hash);
}

sub wiki_mobile {
	set req.backend_hint = mobile;
	set req.http.X-Site = "mobile";
	call common;
	# (14)
	if (req.url ~ "^[^?]*\?(.*&)?(printable|useskin)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((printable|useskin)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	unset req.http.Cookie;
	return (hash);
}

sub media_files {
	set req.backend_hint = media;
	set req.http.X-Site = "media";
	call common;
	unset req.http.Cookie;
	return (hash);
}

sub download_files {
	set req.backend_hint = media;
	set req.http.X-Site = "media";
	call common;
	# (19) No query at all.
	if (req.url ~ "^[^?]*\?&*[^&]") {
		set req.url = regsub(req.url, "\?.*$", "");
	}
	unset req.http.Cookie;
	return (hash);
}

sub mobile_pages {
	set req.backend_hint = mobile;
	set req.http.X-Site = "mobile";
	call common;
	unset req.http.Cookie;
	return (hash);
}

sub plain_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "pages";
	call common;
	unset req.http.Cookie;
	return (hash);
}

sub forum_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "forum";
	call common;
	# (20)
	call page_cookies;
	if (req.http.Cookie ~ "(^|; *)forum_session=") {
		return (pass);
	}
	unset req.http.Cookie;
	return (hash);
}

sub shop_pages {
	set req.backend_hint = shop;
	set req.http.X-Site = "shop";
	call common;
	# (15)
	if (req.url ~ "^[^?]*\?(.*&)?(aff[^=&]*|pid)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((aff[^=&]*|pid)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	# (20)
	call page_cookies;
	if (req.http.Cookie ~ "(^|;)[ \t]*(?!(session|cart|currency)[ \t]*(=|;|$))[^; \t]") {
		set req.http.Cookie = regsuball(regsuball(req.http.Cookie,
		    "[ \t]*;[ \t;]*", "; "),
		    "(^|; )(?!(session|cart|currency)[ \t]*(=|;|$))[^;]+", "");
		call tidy_cookies;
	}
	if (req.url ~ "^/(cart|checkout|account)(/|\?|$)") {
		return (pass);
	}
	unset req.http.Cookie;
	return (hash);
}

sub secure_pages {
	set req.backend_hint = shop;
	set req.http.X-Site = "shop";
	call common;
	# (20)
	call page_cookies;
	return (pass);
}

sub search_pages {
	set req.backend_hint = api;
	set req.http.X-Site = "search";
	call common;
	# (18) Only what the search reads.
	if (req.url ~ "^[^?]*\?(.*&)?(?!(q|page|lang|sort)(=|&|$))[^&]") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((?!(q|page|lang|sort)(=|&|$))[^&]+)?(?=&|$)",
		    ""), "^&", "?");
	}
	unset req.http.Cookie;
	return (hash);
}

sub docs_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "org";
	call common;
	# (17)
	if (req.url ~ "^[^?]*\?(.*&)?(highlight|print)(=|&|$)") {
		set req.url = regsub(req.url, "\?.*$", "") +
		    regsub(regsuball("&" + regsub(req.url, "^[^?]*\?", ""),
		    "&((highlight|print)(=[^&]*)?)?(?=&|$)",
		    ""), "^&", "?");
	}
	unset req.http.Cookie;
	return (hash);
}

sub intranet_pages {
	set req.backend_hint = www;
	set req.http.X-Site = "intranet";
	call common;
	# (20)
	call page_cookies;
	return (pass);
}

sub api_pages {
	set req.backend_hint = api;
	set req.http.X-Site = "api";
	call common;
	# (20)
	call page_cookies;
	return (pass);
}

sub vcl_synth {
	if (resp.status == 752) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
