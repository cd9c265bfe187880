/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The screen of `fastmatch top`: writes a table anew each second, and takes
 * keys.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "term.h"
#include "top.h"

#define REFRESH		1.	/* seconds */
#define LOOK_MS		50	/* milliseconds between two looks at the log */
#define HEAD_LINES	3	/* above the rows */
#define LEFT		18	/* columns of the numbers */

/* Escapes: to the alternate screen, without a cursor; and back. */
#define ENTER		"\033[?1049h\033[?25l"
#define LEAVE		"\033[?25h\033[?1049l"
#define HOME		"\033[H"
#define END_OF_LINE	"\033[K\n"
#define END_OF_SCREEN	"\033[J"

struct screen {
	const struct fm_top	*top;
	const char		*name;		/* of the varnishd, or NULL */
	enum fm_top_kind	kind;		/* the table that is shown */
	bool			has_log;
	size_t			columns, lines;
	struct fm_term		term;
};

/*--------------------------------------------------------------------
 * A frame
 */

static void
screen_measure(struct screen *screen)
{
	struct winsize size;

	screen->columns = 80;
	screen->lines = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_col > 0)
		screen->columns = size.ws_col;
	if (size.ws_row > 0)
		screen->lines = size.ws_row;
}

/* Writes a line, cut to the width of the screen. */
static void
put_line(const struct screen *screen, enum fm_ink ink, const char *text)
{
	fm_term_clip(&screen->term, ink, fm_text_of(text), screen->columns);
	fputs(END_OF_LINE, screen->term.to);
}

static void
put_head(const struct screen *screen)
{
	char line[256], *to = line;
	unsigned i;

	(void)snprintf(line, sizeof line, "fastmatch top  %.40s  %.1f "
	    "requests/s%s", screen->name == NULL ? "" : screen->name,
	    screen->top->requests.rate, screen->has_log ? "" :
	    "  (varnishd's worker is not running)");
	put_line(screen, FM_INK_BOLD, line);
	for (i = 0; i < FM_TOP__KINDS; i++)
		to += sprintf(to, i == screen->kind ? "[%s] " : " %s  ",
		    fm_top_title(i));
	(void)sprintf(to, "   keys: h, r, v, Tab; q quits");
	put_line(screen, FM_INK_PLAIN, line);
	(void)snprintf(line, sizeof line, "%9s %7s %s", "per s", "%",
	    fm_top_title(screen->kind));
	put_line(screen, FM_INK_DIM, line);
}

static void
put_row(const struct screen *screen, const struct fm_top_rate *rate,
    const char *name, const char *text)
{
	size_t room = screen->columns > LEFT + 4 ? screen->columns - LEFT : 4;
	double all = screen->top->requests.rate;
	char *both = NULL;

	if (text != NULL && asprintf(&both, "%s  %s", name, text) < 0)
		fm_cli_no_memory();
	fprintf(screen->term.to, "%9.1f %6.1f%% ", rate->rate,
	    all > 0 ? 100 * rate->rate / all : 0);
	fm_term_clip(&screen->term, FM_INK_PLAIN,
	    fm_text_of(both != NULL ? both : name), room);
	fputs(END_OF_LINE, screen->term.to);
	free(both);
}

static void
put_rows(const struct screen *screen)
{
	const struct fm_top_table *table = &screen->top->tables[screen->kind];
	size_t i, n, room;
	const struct fm_top_row **rows = fm_top_sorted(table, &n);

	/* A newline in the last line would scroll: it stays empty. */
	room = screen->lines > HEAD_LINES + 1 ?
	    screen->lines - HEAD_LINES - 1 : 0;
	if (table->other.hits > 0 && room > 0)
		put_row(screen, &table->other, "(other)", NULL);
	room -= table->other.hits > 0 && room > 0;
	for (i = 0; i < n && i < room; i++)
		put_row(screen, &rows[i]->rate, rows[i]->name == NULL ?
		    "(no valid host)" : rows[i]->name, rows[i]->text);
	free(rows);
}

/* Writes a frame by a single write(), so that nothing flickers. */
static void
screen_draw(struct screen *screen)
{
	struct fm_written frame;

	screen_measure(screen);
	fm_written_begin(&frame);
	screen->term.to = frame.to;
	fputs(HOME, screen->term.to);
	put_head(screen);
	put_rows(screen);
	fputs(END_OF_SCREEN, screen->term.to);
	fm_written_end(&frame);
	(void)fwrite(frame.text, 1, frame.len, stdout);
	(void)fflush(stdout);
	free(frame.text);
}

/*--------------------------------------------------------------------
 * The terminal
 */

/* Does nothing: the signal has interrupted poll(), which is enough. */
static void
on_resize(int signal)
{
	(void)signal;
}

static struct termios before;		/* as the terminal was found */

static void
terminal_leave(void)
{
	fputs(LEAVE, stdout);
	(void)fflush(stdout);
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

/* Sets up the terminal, and sees to it that exit() restores it. */
static void
terminal_enter(void)
{
	struct sigaction resize = { .sa_handler = on_resize };
	struct termios now;

	(void)tcgetattr(STDIN_FILENO, &before);
	(void)atexit(terminal_leave);
	now = before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	/* No ^Z: the shell would find the terminal as it is now. */
	now.c_cc[VSUSP] = _POSIX_VDISABLE;
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &now);
	(void)sigaction(SIGWINCH, &resize, NULL);
	fputs(ENTER, stdout);
}

/* Takes keys; returns false for the key that quits. */
static bool
take_keys(struct screen *screen)
{
	char keys[64];
	ssize_t i, n = read(STDIN_FILENO, keys, sizeof keys);

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return (false);
	for (i = 0; i < n; i++)
		switch (keys[i]) {
		case 'h':
			screen->kind = FM_TOP_HOSTS;
			break;
		case 'r':
			screen->kind = FM_TOP_RULES;
			break;
		case 'v':
			screen->kind = FM_TOP_VERDICTS;
			break;
		case '\t':
			screen->kind = (screen->kind + 1) % FM_TOP__KINDS;
			break;
		case 'q':
			return (false);
		default:
			break;
		}
	return (true);
}

void
fm_top_screen(struct fm_top *top, struct fm_vsl *log, const char *name)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	struct screen screen = { .top = top, .name = name };
	double last = fm_cli_seconds(), now;
	bool draw = true;
	int found;

	fm_term_init(&screen.term, stdout, FM_COLOUR_AUTO);
	terminal_enter();
	while (!fm_top_stopped) {
		screen.has_log = fm_vsl_look(log, fm_top_request,
		    top);
		now = fm_cli_seconds();
		if (now - last >= REFRESH) {
			fm_top_tick(top, now - last);
			last = now;
			draw = true;
		}
		if (draw)
			screen_draw(&screen);
		found = poll(&keys, 1, LOOK_MS);
		if (found > 0 && !take_keys(&screen))
			break;
		/* A key or a new size needs a new frame. */
		draw = found != 0;
	}
}
