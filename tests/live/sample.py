# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Rules whose answers tell their version, and a VCL that shows it: in X-Version, or
as the status and the reason of an answer.  The report is below /ops/."""

import json

HOSTS = 12

VCL = """vcl 4.1;
import fastmatch;
backend none none;

acl operators { "127.0.0.1"; }

sub vcl_init {
	new site = fastmatch.rules("%(path)s", %(options)s);
}

sub vcl_recv {
	if (req.url ~ "^/ops/") {
		if (client.ip !~ operators) {
			return (synth(403));
		}
		return (synth(700));
	}
	site.apply();
	return (synth(200));
}

sub vcl_synth {
	set resp.http.X-Generation = site.generation();
	if (resp.status == 700) {
		set resp.status = 200;
		set resp.http.Content-Type = "application/json";
		set resp.body = site.report();
		return (deliver);
	}
	set resp.http.X-Version = req.http.X-Version;
	set resp.http.X-Seen = req.http.X-Version;
	site.apply();
	return (deliver);
}
"""

RULES = """# Version %(n)d
ruleset shop {
	when path is /go { redirect 302 "http://to/v%(n)d"; }
	when path begins /private/ { synth 403 "v%(n)d"; }
}
always {
	set X-Version = "v%(n)d";
}
"""


def vcl(node, options, path=None):
    return VCL % {"path": path or node.path("site.rules"),
                  "options": options}


def rules(version, hosts=HOSTS):
    return RULES % {"n": version} + "".join(
        "host h%d.example.com use shop;\n" % n for n in range(hosts))


def spoilt():
    """Returns rules with three mistakes, the first in line 3."""
    return rules(0).replace("ruleset shop {", "ruleset shop {\n"
                            "\tnonsense one;\n\tset X-A \"b\";\n"
                            "\tredirect 200 \"/x\";")


class Site:
    """The rules of a node, and what is asked about them."""

    def __init__(self, node, name="site.rules"):
        self.node = node
        self.name = name

    def write(self, version, hosts=HOSTS):
        self.node.write(self.name, rules(version, hosts))

    def spoil(self):
        self.node.write(self.name, spoilt())

    def version(self):
        """Returns the number of the version that serves."""
        answer = self.node.get("/", {"Host": "h1.example.com"})
        return int(answer.headers.get("x-version", "v-1")[1:])

    def report(self):
        return json.loads(self.node.get("/ops/report").body)
