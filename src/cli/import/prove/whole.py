# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Compares two whole VCLs: each is in a varnishd of its own, before backends of ours.

Stories are played in batches, all of a step at once, which end on both sides before the
next one begins.  A difference counts if it is there again when the story is played alone;
then it is made shorter as long as it stays.
"""

import copy
import re

import tell
from backend import STEP, STORY, client, read
from branches import TOKEN, read as read_subs
from harvest import Request
from observe import differences, drop_chance, for_another_time, in_parts, observe
from server import Failed
from stories import SUBS, Step, usual_answers
from watched import WAIT, Log

BATCH = 30
SHOWN = 5       # kinds of differences that are shown
TRIES = 60      # to make one of them shorter
READY = 120
PAUSE = 0.1     # seconds before a body is cut; longer for a story alone
PAUSE_ALONE = 1.0
# A module that asks other machines.
ASKING = re.compile(r"\bimport\s+(dynamic|goto|activedns|reqwest|http|curl|redis)\b")
EXPIRE = "Fm-Expire"
RACE = "stale hit, restart"
OWN = ("std", "purge")
TIMEOUTS = " + \" \" + ".join("bereq." + name for name in (
    "connect_timeout", "first_byte_timeout", "between_bytes_timeout"))
HEAD = """import std;
import purge;
sub vcl_hash { hash_data(req.http.%s); }
sub vcl_hit {
	if (req.http.%s) {
		purge.soft(0s, -1s, -1s);
		return (synth(299));
	}
}
sub vcl_miss { if (req.http.%s) { return (synth(299)); } }
sub vcl_pass { if (req.http.%s) { return (synth(299)); } }
sub vcl_synth { if (req.http.%s) { return (deliver); } }
sub vcl_backend_response { std.log("fm-timeouts: " + %s); }
sub vcl_backend_error { std.log("fm-timeouts: " + %s); }
""" % (STORY, EXPIRE, EXPIRE, EXPIRE, EXPIRE, TIMEOUTS, TIMEOUTS)
IS_SUB = re.compile(r"\bsub\s+(vcl_(?!recv|init|fini|synth)\w+)\s*\{|"
                    r"\bban\s*\(|\bxkey\.")
# import notes this in the rules where VCL remembers it for the lifetime of the response,
# or for the last one of several.
NOT_THE_TIME = "say for how long that is"
# And this where VCL answers requests, which may be parts of a page.
NO_PARTS = "In an ESI sub-request redirect, purge and a synth below 400 do nothing"


def is_whole(text):
    """Returns true if a VCL does more than decide about a request."""
    return IS_SUB.search(text) is not None


def story_head(text):
    """Returns the subs that come before those of a VCL, and the VCL, which imports no
    module a second time."""
    text = re.sub(r"\bimport\s+(?:%s)\s*(?:from\s*\"[^\"]*\")?;" % "|".join(OWN),
                  lambda hit: "\n" * hit.group(0).count("\n"), text)
    defined = re.findall(r"\b(?:acl|sub|backend|probe)\s+((?i:%s))\b" % "|".join(OWN),
                         text)
    return HEAD, renamed(text, defined) if defined else text


def renamed(text, names):
    """Returns a VCL of which acls, say, have no longer the name of a module, in any case
    of letters."""
    out, words = [], ["", ""]
    for token in TOKEN.findall(text):
        if token in names and words != ["return", "("]:
            out.append("own_" + token)
        else:
            out.append(token)
        if not token.isspace():
            words = [words[1], token]
    return "".join(out)


def telling_rules(text):
    """Returns a VCL whose rules log each statement that runs."""
    def call(hit):
        words = re.sub(r",\s*log\s*=\s*\w+", "", hit.group(2))
        return "%s%s, log=all)" % (hit.group(1), words)

    return re.sub(r"(\bfastmatch\.rules\()([^()]*)\)", call, text)


class Code:
    """The text of a VCL as it was loaded: its blocks, and where lines are from."""

    TRACE = re.compile(r"\S+ \d+ 0\.(\d+)\.(\d+)")

    def __init__(self, path, rows, offset):
        with open(path, encoding="latin-1") as file:
            text = file.read()
        self.tokens = TOKEN.findall(text)
        self.marker = read_subs(text, SUBS)
        self.rows, self.offset = rows, offset
        self.at, line, column = {}, 1, 1
        self.lines = []
        for number, token in enumerate(self.tokens):
            self.lines.append(line)
            self.at[line, column] = number
            for char in token:
                if char == "\n":
                    line, column = line + 1, 1
                elif char == "\t":
                    column = (column - 1) // 8 * 8 + 9
                else:
                    column += 1

    def place(self, line):
        """Returns "file:line" of a line that was loaded, or None: it is ours."""
        row = line - self.offset - 1
        if not 0 <= row < len(self.rows):
            return None
        return "%s:%d" % (self.rows[row][1], self.rows[row][2])

    def ran(self, transactions):
        """Yields (place, statement) for what ran in a step."""
        for one in transactions:
            for value in one.values("VCL_trace"):
                hit = self.TRACE.match(value)
                number = self.at.get((int(hit.group(1)), int(hit.group(2)))) \
                    if hit else None
                if number is not None:
                    yield from self.statements(number)

    def statements(self, number):
        first, text = None, ""
        for at in range(number, len(self.tokens)):
            token = self.tokens[at]
            if token in ("if", "else", "elsif", "elseif", "elif", "{", "}"):
                return
            if token == ";":
                place = self.place(self.lines[first]) if first is not None else None
                if place:
                    yield place, " ".join(text.split()) + ";"
                first, text = None, ""
                continue
            if first is None and not token.isspace():
                first = at
            text += token

    def blocks(self):
        """Returns {place: name} of the blocks of all subs after vcl_recv."""
        places = {number: place for place, number in self.at.items()}
        return {places[branch.first]: branch.name for branch in self.marker.branches
                if branch.first is not None and branch.first in places and
                self.tokens[branch.first] != "}" and
                self.lines[branch.first] > self.offset}

    def cannot_run(self, name):
        """Returns true for a block of a status that only a synth() could give, and none
        does."""
        hit = re.search(r"\bresp\.status == ([6-9]\d\d)\)$", name)
        return hit is not None and not re.search(
            r"\b(?:synth|error)\s*\(?\s*%s\b|\.status\s*=\s*%s\b" % (
                hit.group(1), hit.group(1)), "".join(self.tokens))

    def taken(self, transactions):
        """Returns the lines and columns of the blocks that ran."""
        return {(int(hit.group(1)), int(hit.group(2)))
                for one in transactions for value in one.values("VCL_trace")
                for hit in [self.TRACE.match(value)] if hit}


class Side:
    """One of the two varnishds."""

    def __init__(self, label, server, backends):
        self.label, self.server, self.backends = label, server, backends
        self.code = None
        self.log = Log(server.tool("log"), server.work)

    def ready(self, proxied):
        """Waits until varnishlog reads what the varnishd writes."""
        request = Request("GET", "/", [("Host", "www.example.com")])
        for _ in range(READY):
            read(self.send(0, 0, Step(request, [], expire=True), proxied), False)
            if self.log.wait(0, 0, 0.5):
                return
        raise Failed("varnishlog does not tell what the varnishd does")

    def send(self, story, number, step, proxied):
        request = step.request
        lines = ["%s: %d" % (STORY, story), "%s: %d" % (STEP, number)]
        if step.expire:
            lines.append(EXPIRE + ": 1")
        raw = copy.copy(request)
        raw.extra = list(request.extra) + lines + ["Connection: close"]
        return client(self.server.port, proxied(request) + raw.raw())

    def seen(self, story, number, answer, named):
        return observe(answer, self.backends.asked.get((self.label, story, number), []),
                       self.log.of(story, number), named)


def apart(here):
    """Returns the groups of steps that may run at once: those that may take pages of
    other stories from the cache are alone, in their order."""
    groups = [[], []]
    for story, step in here:
        if step.sick:
            groups[1].append((story, step))
        elif step.expire or step.request.method in ("GET", "HEAD", "POST"):
            groups[0].append((story, step))
        else:
            groups.append([(story, step)])
    return [group for group in groups if group]


class Played:
    """A step on both sides."""

    def __init__(self, old, new, ran):
        self.old, self.new = old, new
        self.ran = ran      # {label: transactions}


class Whole:
    def __init__(self, sides, backends, named, proxied, tidy, rules):
        self.sides, self.backends, self.named = sides, backends, named
        rules = " ".join(rules.replace("#", "").split())
        self.for_another_time = NOT_THE_TIME in rules
        self.no_parts = NO_PARTS in rules
        # tidy: drops what does not count with --well-formed; else None.
        self.proxied, self.tidy = proxied, tidy
        self.stories = 0
        self.other_times = self.other_parts = False
        self.taken = set()

    def play(self, stories):
        """Plays stories at once; returns, for each, what was seen of its steps."""
        numbered = []
        self.backends.pause = PAUSE if len(stories) > 1 else PAUSE_ALONE
        for steps in stories:
            self.stories += 1
            numbered.append((self.stories, usual_answers(steps)))
            self.backends.plan(self.stories, [step.answers for step in steps])
        answers = {}
        for at in range(max(len(steps) for _, steps in numbered)):
            here = [(story, steps[at]) for story, steps in numbered if at < len(steps)]
            for group in apart(here):
                sick = group[0][1].sick and self.health("sick")
                answers.update(self.ask(at, group))
                if sick:
                    self.health("auto")
            for story, _ in here:
                for side, answer in zip(self.sides, answers[story, at]):
                    # Of a bad request the log has no headers.
                    if not side.log.wait(story, at, 0.5 if answer[0] in (0, 400)
                                         else WAIT) and answer[0] not in (0, 400):
                        raise Failed("varnishlog has lost a request")
        return [self.seen(story, steps, answers) for story, steps in numbered]

    def ask(self, at, group):
        """Sends a step of several stories at once; returns the answers."""
        sent = [(story, step, [side.send(story, at, step, self.proxied)
                               for side in self.sides]) for story, step in group]
        return {(story, at): [read(each, step.request.method == "HEAD")
                              for each in both] for story, step, both in sent}

    def health(self, state):
        for side in self.sides:
            side.server.ask("backend.set_health", "story.*", state)
        return True

    def seen(self, story, steps, answers):
        played, numbers = [], ([], [])
        for at in range(len(steps)):
            both = [side.seen(story, at, answer, self.named)
                    for side, answer in zip(self.sides, answers[story, at])]
            for seen, known in zip(both, numbers):
                drop_chance(seen, steps[at].request, steps[at].answers)
                # A hit may have the number of an earlier step.
                known.append(seen["xids"])
                seen["xids"] = "|".join(filter(None, known))
            if self.tidy:
                both = [self.tidy(seen) for seen in both]
            ran = {side.label: side.log.of(story, at) for side in self.sides}
            self.taken |= self.sides[0].code.taken(ran["old"])
            played.append(Played(*both, ran))
        for side in self.sides:
            side.log.forget(story, len(steps))
        self.backends.forget(story)
        return played

    def differs(self, steps, played):
        """Yields (step, what) for the differences, up to the first one after which the
        caches differ."""
        meant = False
        for at, (step, one) in enumerate(zip(steps, played)):
            if step.expire:
                continue
            if one.old["answer"] == one.new["answer"] == "503 VCL failed":
                continue
            if self.tidy and one.old["answer"] == "503 VCL failed":
                return
            found = differences(one.old, one.new)
            if "cache" in found and (meant or RACE in one.old["cache"]):
                # One of both goes on with the stale page; or the fetch in the
                # background has ended before the restart on one side only.
                return
            if "stored" in found and self.for_another_time and for_another_time(
                    one.old, one.new):
                found.remove("stored")
                meant = self.other_times = True
                if "passed for" in one.old["stored"]:
                    # One of both passes the next request, too.
                    return
            in_part = in_parts(one.old, one.new) & set(found) if self.no_parts else set()
            self.other_parts |= in_part != set()
            if set(found) - in_part:
                yield at, [what for what in found if what not in in_part]
            if any(what.split(" ")[0] in ("stored", "cache", "asked")
                   for what in found):
                return

    def again(self, steps, what=None):
        """Plays a story alone; returns (played, step, what differs there) of the first
        difference in `what`, or of any; or None."""
        played = self.play([steps])[0]
        for at, found in self.differs(steps, played):
            if what is None or what in found:
                return played, at, found
        return None

    def shorter(self, steps, what):
        """Returns a shorter story with the same difference, in its last step."""
        left = TRIES
        best = [copy.copy(step) for step in steps]
        for step in best:
            step.request = copy.copy(step.request)
            step.answers = [one.copy() for one in step.answers[:2]]

        def holds(tried):
            nonlocal left
            left -= 1
            found = self.again(tried, what)
            return bool(found) and found[1] == len(tried) - 1

        if not holds(best):
            return steps
        for change in self.changes(best):
            if left <= 0:
                break
            tried = change(best)
            if tried is not None and holds(tried):
                best = tried
        return best

    @staticmethod
    def changes(steps):
        """Returns functions, each of which takes something out of a story."""
        def without_step(step):
            return lambda now: [one for one in now if one is not step] \
                if step in now and len(now) > 1 else None

        def edit(now, at, one):
            return [one if number == at else step for number, step in enumerate(now)]

        def without_header(name):
            def change(now):
                found = []
                for step in now:
                    step = copy.copy(step)
                    step.request = copy.copy(step.request)
                    step.request.headers = [pair for pair in step.request.headers
                                            if pair[0] != name]
                    found.append(step)
                return found
            return change

        def without_answer(back, number, name):
            def change(now):
                at = len(now) - back
                if at < 0 or number >= len(now[at].answers) or (
                        not name and len(now[at].answers) < 2):
                    return None
                step = copy.copy(now[at])
                step.answers = [one.copy() for one in step.answers]
                if name:
                    one = step.answers[number]
                    headers = [pair for pair in one.headers if pair[0] != name]
                    if headers == one.headers:
                        return None
                    one.headers = headers
                else:
                    del step.answers[number]
                return edit(now, at, step)
            return change

        def without_part(now):
            found = []
            for step in now:
                step = copy.copy(step)
                step.answers = [one.copy() for one in step.answers]
                for one in step.answers:
                    one.included = ""
                found.append(step)
            return found

        found = [without_step(step) for step in steps[:-1]] + [without_part]
        names = dict.fromkeys(pair[0] for step in steps for pair in step.request.headers
                              if pair[0] != "Host")
        found += [without_header(name) for name in names]
        for back in range(1, len(steps) + 1):
            for number, one in enumerate(steps[-back].answers):
                found.append(without_answer(back, number, ""))
                found += [without_answer(back, number, pair[0]) for pair in one.headers]
        return found


def as_clients(steps, usual):
    """Makes the requests of a story as clients send them."""
    done = {}
    for step in steps:
        if id(step.request) not in done:
            done[id(step.request)] = usual(step.request)
        step.request = done[id(step.request)]
    return steps


class Found:
    """The stories that differ."""

    def __init__(self, whole):
        self.whole = whole
        self.kinds = {}         # what differs first -> stories, up to that step
        self.stories = self.requests = 0
        self.different = self.once = 0

    def play(self, batch):
        for steps, seen in zip(batch, self.whole.play(batch)):
            self.stories += 1
            self.requests += len(steps)
            kinds = self.kinds_of(steps, seen)
            if not kinds.keys() <= self.kinds.keys():
                kinds = self.there_again(steps)
                self.once += not kinds
            self.different += bool(kinds)
            for what, at in kinds.items():
                self.kinds.setdefault(what, []).append(steps[:at + 1])

    def kinds_of(self, steps, seen):
        """Returns {what differs: the first step in which it does}."""
        kinds = {}
        for at, found in self.whole.differs(steps, seen):
            for what in found:
                kinds.setdefault(what, at)
        return kinds

    def there_again(self, steps):
        """Returns the kinds if the story differs in two of three times, as on a busy
        machine a lifetime may end on one side first."""
        times = []
        while sum(map(bool, times)) < 2 and len(times) - sum(map(bool, times)) < 2:
            times.append(self.kinds_of(steps, self.whole.play([steps])[0]))
        return times[-1]

    def show(self, codes):
        """Prints the shortest story of each kind, the shortest one first."""
        shown, told = [], set()
        for what, found in sorted(self.kinds.items(),
                                  key=lambda each: size(min(each[1], key=size))):
            if what in told or len(shown) == SHOWN:
                continue
            steps = self.whole.shorter(min(found, key=size), what)
            again = self.whole.again(steps, what)
            if again:
                told |= set(again[2])
                shown.append((steps[:again[1] + 1], what, again))
        for steps, what, (played, _, found) in sorted(
                shown, key=lambda each: size(each[0])):
            found.sort(key=lambda each, first=what: each != first)
            tell.story(steps, played, found, codes)
        for what, found in sorted(self.kinds.items()):
            print("%d %s with another %s" % (
                len(found), "story" if len(found) == 1 else "stories",
                tell.named(what)))
        if self.once:
            print("%d of the stories differed once, and not again: no difference" %
                  self.once)


def size(steps):
    return len(steps), sum(len(step.request.headers) for step in steps)


def compare(whole, stories, codes, seed):
    """Plays the stories and prints what differs; returns 0, 1 or 3."""
    found, batch = Found(whole), []
    for steps in stories:
        batch.append(steps)
        if len(batch) == BATCH:
            found.play(batch)
            batch = []
    if batch:
        found.play(batch)
    blocks = codes["old"].blocks()
    dead = [place for place, name in blocks.items()
            if place not in whole.taken and codes["old"].cannot_run(name)]
    for place in dead:
        print("can't run, as no synth() gives this status: %s" % blocks.pop(place)[:100])
    run = [place for place in blocks if place in whole.taken]
    found.show(codes)
    print("%d stories of %d requests, made up with the seed %s" % (
        found.stories, found.requests, seed))
    for place, name in blocks.items():
        if place not in whole.taken:
            print("not run: %s" % name[:100])
    if blocks:
        print("blocks of the other subs run: %d of %d" % (len(run), len(blocks)))
    if whole.other_times:
        print("that a page is not stored is remembered for another time: the rules say "
              "for how long, VCL takes the lifetime of the response, and a comment in the "
              "rules notes it: no difference, nor what the cache does by that later")
    if whole.other_parts:
        print("a part of a page (ESI) for which VCL has a page of its own: rules give it "
              "an empty one, or ask the backend where the status is below 400, and a "
              "comment in the rules notes it: no difference, nor what the cache does by "
              "that later")
    if found.different:
        print("%d of the stories differ" % found.different)
        return 1
    if 2 * len(run) >= len(blocks):
        return 0
    print("warning: fewer than half of these blocks were run, so that this proves "
          "little: play more stories (--prove %d)" % max(1000, found.stories * 10))
    return 3
