/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The screen of `fastmatch top`: the terminal, and what keys do.  A frame is
 * written each second, and after each key.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "screen.h"

#define REFRESH		1.	/* seconds */
#define LOOK_MS		50	/* milliseconds between two looks at the log */

/* Escapes: to the alternate screen, without a cursor; and back. */
#define ENTER		"\033[?1049h\033[?25l"
#define LEAVE		"\033[?25h\033[?1049l"

#define ESC		'\033'
#define CTRL_U		'\025'
#define BACKSPACE	'\177'

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
	/* A write to a slow terminal goes on; poll() ends none the less. */
	struct sigaction resize = { .sa_handler = on_resize,
	    .sa_flags = SA_RESTART };
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

/*--------------------------------------------------------------------
 * What keys do
 */

static void
open_fini(struct fm_screen_open *open)
{
	free(open->name);
	free(open->text);
}

/* Selects the first line of the list. */
static void
select_first(struct fm_screen *screen)
{
	screen->follows = false;
	screen->first = screen->at = 0;
}

/* Selects the line of a row that was listed, if it still is. */
static void
select_row(struct fm_screen *screen, uint64_t hash)
{
	select_first(screen);
	screen->follows = true;
	screen->selected = hash;
}

/* Closes what is open, and selects it in the list from which it was opened. */
static void
screen_back(struct fm_screen *screen)
{
	struct fm_screen_open *open = fm_screen_top(screen);

	if (open == NULL)
		return;
	select_row(screen, open->hash);
	memcpy(screen->top->filter, open->filter, sizeof open->filter);
	open_fini(open);
	screen->depth--;
	open = fm_screen_top(screen);
	screen->top->open = open == NULL ? 0 : open->hash;
}

static void
screen_table(struct fm_screen *screen, enum fm_top_kind kind)
{
	while (screen->depth > 0)
		screen_back(screen);
	screen->kind = kind;
	select_first(screen);
}

/*
 * Shows the list that an earlier key has changed, of which this one is to take
 * a line.
 */
static void
screen_list(struct fm_screen *screen)
{
	if (screen->is_stale)
		fm_screen_draw(screen);
}

/* Opens the selected host or rule.  A full path forgets its first one. */
static void
screen_open(struct fm_screen *screen)
{
	enum fm_top_kind kind = fm_screen_lists(screen);
	struct fm_screen_open *open;
	const struct fm_top_row *row;

	screen_list(screen);
	row = fm_top_find(screen->top, kind, screen->selected);
	if (kind == FM_TOP_VERDICTS || screen->nlisted == 0 || row == NULL)
		return;
	if (screen->depth == FM_SCREEN_PATH) {
		open_fini(&screen->path[0]);
		memmove(screen->path, screen->path + 1,
		    --screen->depth * sizeof *screen->path);
	}
	open = &screen->path[screen->depth++];
	memcpy(open->filter, screen->top->filter, sizeof open->filter);
	open->kind = kind;
	open->hash = screen->top->open = row->hash;
	open->name = fm_cli_copy(fm_top_name(row), strlen(fm_top_name(row)));
	open->text = row->text == NULL ? NULL :
	    fm_cli_copy(row->text, strlen(row->text));
	*screen->top->filter = '\0';
	select_first(screen);
}

/* Selects a line that was listed, which is followed unless it is the first. */
static void
screen_move(struct fm_screen *screen, size_t at)
{
	if (screen->nlisted == 0)
		return;
	if (at >= screen->nlisted)
		at = screen->nlisted - 1;
	screen->at = at;
	screen->selected = screen->listed[at];
	screen->follows = at > 0;
}

/* Returns false if the key does not move the selection. */
static bool
take_move(struct fm_screen *screen, int key)
{
	size_t at, page;

	if (key >= FM_KEY_UP && key <= FM_KEY_PAGE_DOWN)
		screen_list(screen);
	at = screen->at;
	page = screen->room > 1 ? screen->room : 1;
	switch (key) {
	case FM_KEY_UP:
		screen_move(screen, at > 0 ? at - 1 : 0);
		return (true);
	case FM_KEY_DOWN:
		screen_move(screen, at + 1);
		return (true);
	case FM_KEY_PAGE_UP:
		screen_move(screen, at > page ? at - page : 0);
		return (true);
	case FM_KEY_PAGE_DOWN:
		screen_move(screen, at + page);
		return (true);
	case FM_KEY_HOME:
		screen_move(screen, 0);
		return (true);
	case FM_KEY_END:
		screen_move(screen, SIZE_MAX);
		return (true);
	default:
		return (false);
	}
}

/* Takes a key while the user types a filter. */
static void
take_letter(struct fm_screen *screen, int key)
{
	char *filter = screen->top->filter;
	size_t len = strlen(filter);

	if (key == '\n' || key == '\r') {
		screen->types = false;
		return;
	}
	select_first(screen);
	switch (key) {
	case FM_KEY_ESC:
		*filter = '\0';
		screen->types = false;
		break;
	case CTRL_U:
		*filter = '\0';
		break;
	case '\b':
	case BACKSPACE:
		/* A character has a first byte, and then bytes of 10xxxxxx. */
		while (len > 0 && (filter[--len] & 0xc0) == 0x80)
			continue;
		filter[len] = '\0';
		break;
	default:
		if (key < ' ' || key > 255 || len + 1 == FM_TOP_FILTER)
			break;
		filter[len] = (char)key;
		filter[len + 1] = '\0';
		break;
	}
}

/* Takes a key of a command; returns false for the one that quits. */
static bool
take_command(struct fm_screen *screen, int key)
{
	switch (key) {
	case 'h':
		screen_table(screen, FM_TOP_HOSTS);
		break;
	case 'r':
		screen_table(screen, FM_TOP_RULES);
		break;
	case 'v':
		screen_table(screen, FM_TOP_VERDICTS);
		break;
	case '\t':
		screen_table(screen, (screen->kind + 1) % FM_TOP__KINDS);
		break;
	case '/':
		*screen->top->filter = '\0';
		screen->types = true;
		break;
	case '\n':
	case '\r':
	case FM_KEY_RIGHT:
		screen_open(screen);
		break;
	case FM_KEY_LEFT:
		screen_back(screen);
		break;
	case FM_KEY_ESC:
		if (*screen->top->filter == '\0')
			screen_back(screen);
		else
			*screen->top->filter = '\0';
		break;
	case 'q':
		return (false);
	default:
		break;
	}
	return (true);
}

/* Takes a key; returns false for the one that quits. */
static bool
take_key(struct fm_screen *screen, int key)
{
	bool goes_on = true;

	if (take_move(screen, key))
		return (true);
	if (screen->types)
		take_letter(screen, key);
	else
		goes_on = take_command(screen, key);
	screen->is_stale = true;
	return (goes_on);
}

/*--------------------------------------------------------------------
 * Keys
 */

/* Returns the key of an escape that is whole: ESC [ A, ESC O A, ESC [ 5 ~. */
static int
key_of(const char *escape, size_t len)
{
	static const char ends[] = "ABCDHF";
	static const int keys[] = { FM_KEY_UP, FM_KEY_DOWN, FM_KEY_RIGHT,
	    FM_KEY_LEFT, FM_KEY_HOME, FM_KEY_END };
	static const int numbered[] = { FM_KEY_OTHER, FM_KEY_HOME,
	    FM_KEY_OTHER, FM_KEY_OTHER, FM_KEY_END, FM_KEY_PAGE_UP,
	    FM_KEY_PAGE_DOWN, FM_KEY_HOME, FM_KEY_END };
	const char *end = strchr(ends, escape[len - 1]);
	size_t number;

	if (len == 3 && end != NULL)
		return (keys[end - ends]);
	number = (size_t)(escape[2] - '0');
	if (len == 4 && escape[3] == '~' &&
	    number < sizeof numbered / sizeof numbered[0])
		return (numbered[number]);
	return (FM_KEY_OTHER);
}

/*
 * Takes a byte of the terminal, which may be a part of a key.  Returns false
 * for the key that quits.
 */
static bool
take_byte(struct fm_screen *screen, char byte)
{
	char *escape = screen->escape;
	size_t n = screen->nescape;

	if (n == 1 && byte != '[' && byte != 'O') {
		/* What has begun was the key Esc. */
		screen->nescape = 0;
		if (!take_key(screen, FM_KEY_ESC))
			return (false);
		n = 0;
	}
	if (n == 0 && byte != ESC)
		return (take_key(screen, (unsigned char)byte));
	/* A longer one is of a key that is not known here. */
	if (n == sizeof screen->escape)
		n--;
	escape[n++] = byte;
	screen->nescape = n;
	/* Numbers and signs stand before the letter or the ~ of the end. */
	if (n < 3 || byte < '@' || byte > '~')
		return (true);
	screen->nescape = 0;
	return (take_key(screen, key_of(escape, n)));
}

/* Takes what was typed; returns false for the key that quits. */
static bool
take_typed(struct fm_screen *screen)
{
	char keys[64];
	ssize_t i, n = read(STDIN_FILENO, keys, sizeof keys);

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return (false);
	for (i = 0; i < n; i++)
		if (!take_byte(screen, keys[i]))
			return (false);
	return (true);
}

void
fm_top_screen(struct fm_top *top, struct fm_vsl *log, const char *name)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	struct fm_screen screen = { .top = top, .name = name };
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
			fm_screen_draw(&screen);
		found = poll(&keys, 1, LOOK_MS);
		if (found > 0 && !take_typed(&screen))
			break;
		/* A key or a new size needs a new frame. */
		draw = found != 0;
		/* Nothing has followed: the key was Esc. */
		if (found == 0 && screen.nescape == 1) {
			screen.nescape = 0;
			(void)take_key(&screen, FM_KEY_ESC);
			draw = true;
		}
	}
	screen_table(&screen, FM_TOP_HOSTS);
	free(screen.listed);
}
