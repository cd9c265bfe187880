$ --url http://own.example.com/ --status 302
GET /
Host      own.example.com
Entry     own.example.com, respond.rules:29:6

always, respond.rules:2:8

own.example.com, respond.rules:29:22

finally, respond.rules:30:9
  30  builtin  nothing speaks against it: hash

Verdict   hash
          respond.rules:30:11: builtin
Scans     none

The request stays as it came.

Varnish   no ttl: status 302 has none without max-age or Expires; grace 10s: default_grace; keep 0s: default_keep

response

own.example.com, respond.rules:29:33
  29  when path is /kept  no
          path is /kept   no  "/"

Verdict   none, vcl_backend_response goes on

Its headers stay as they are.

delivery, as a pass

always, respond.rules:3:14
   3  set X-Status = "${status}"  X-Status: 302
      set X-Decided = "${rule}"   X-Decided: respond.rules:30

Verdict   none, vcl_deliver goes on

--- the response from Varnish
+++ the response that the client gets, as a pass
 X-Varnish: 2
 Age: 0
 Via: 1.1 varnish (Varnish)
+X-Status: 302
+X-Decided: respond.rules:30

cached: no; builtin.vcl: no lifetime, as status 302 has none without max-age or Expires; to cache it: ttl in response, after a test of the status
not cached, remembered for 120s (until a response is cacheable)
