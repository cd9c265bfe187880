# Names a list of the source tree where rules name an installed one: the module
# in a build tree has no other folder than the installed one for `from shipped`.
s,include shipped "devices",include "/usr/share/varnish-fastmatch/lists/devices.rules",
s,from shipped "bots",nocase contains from "/usr/share/varnish-fastmatch/lists/bots.map",
s,from shipped "mobile-brands",contains from "/usr/share/varnish-fastmatch/lists/mobile-brands.list",
s,from shipped "static-extensions",nocase ends from "/usr/share/varnish-fastmatch/lists/static-extensions.list",
s,from shipped "tracking-parameters",like from "/usr/share/varnish-fastmatch/lists/tracking-parameters.list",
