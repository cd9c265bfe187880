# The policy of the README's rules, as VCL. It is long because hosts, URLs and cookies have
# many spellings, and each spelling would be stored as a page of its own.
vcl 4.1;
backend web { .host = "192.0.2.1"; }

sub vcl_recv {
    if (req.http.host ~ "(?i)^(www\.)?example\.com\.?(:[0-9]*)?$") {
        set req.http.host = regsub(req.http.host.lower(), "\.?(:[0-9]*)?$", "");
        set req.url = regsuball(req.url, "(?<=[?&])(utm_[^=&]*|gclid|fbclid)(=[^&]*)?(&|$)", "");
        set req.url = regsub(req.url, "[?&]$", "");
        if (req.http.Cookie) {
            set req.http.Cookie = ";" + req.http.Cookie;
            set req.http.Cookie = regsuball(req.http.Cookie, "; +", ";");
            set req.http.Cookie = regsuball(req.http.Cookie, ";(session|cart)=", "; \1=");
            set req.http.Cookie = regsuball(req.http.Cookie, ";[^ ][^;]*", "");
            set req.http.Cookie = regsuball(req.http.Cookie, "^[; ]+|[; ]+$", "");
            if (req.http.Cookie == "") {
                unset req.http.Cookie;
            }
        }
        if (req.url ~ "^/(cart|checkout)(/|\?|$)") {
            return (pass);
        }
    }
}

sub vcl_backend_response {
    if (bereq.http.host ~ "^(www\.)?example\.com$") {
        if (beresp.status >= 500 && bereq.is_bgfetch) {
            return (abandon);
        }
        if (beresp.status == 200 && bereq.url ~ "^/static(/|\?|$)") {
            unset beresp.http.Set-Cookie;
            set beresp.ttl = 7d;
        }
        set beresp.grace = 6h;
    }
}

sub vcl_deliver {
    if (req.http.host ~ "^(www\.)?example\.com$") {
        unset resp.http.Server;
        unset resp.http.Via;
        unset resp.http.X-Powered-By;
    }
}
