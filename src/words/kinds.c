/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rows of the table of the language (words.h), by kind (kinds.h).
 */

#include <string.h>

#include "kinds.h"
#include "obj.h"
#include "tokens.h"

const struct fm_stmt_row fm_stmts[FM_STMT__KINDS] = {
#define S(name, word, class, manual, phase, what, ...)			\
	[FM_STMT_##name] = { FM_PHASES_##phase, FM_ENDS_##what, 0 },
#define V(name, word, class, manual, phase, what, ...)			\
	[FM_STMT_##name] = { FM_PHASES_##phase, FM_ENDS_##what,		\
	    FM_VERDICT_##name },
	FM_STATEMENTS(S, V)
	FM_USE(S)
#undef S
#undef V
	[FM_STMT_KEYED] = { FM_PHASES_KEYED, FM_ENDS_NOTHING, 0 }
};

const struct fm_verdict_row fm_verdicts[FM_VERDICT__KINDS] = {
#define V(name, word, class, manual, phase, what, counter, ret, status, esi) \
	[FM_VERDICT_##name] = { (word), #ret, (status), FM_ESI_##esi },
	FM_VERDICTS(V)
#undef V
	[FM_VERDICT_REFUSE] = { "refuse", "SYNTH", 400, FM_ESI_DENIES }
};

const struct fm_subject_row fm_subjects[FM_SUBJECT_ROWS] = {
#define S(kind, token, named, phase)					\
	{ T_##token, FM_SUBJECT_##kind, (named), FM_PHASES_##phase },
	FM_SUBJECTS(S, S)
#undef S
};

const struct fm_value_row fm_values[FM_VALUE_ROWS] = {
#define P(kind, name, subject, phase, others)				\
	{ (name), (others), FM_PART_##kind, FM_SUBJECT_##subject,	\
	    FM_PHASES_##phase },
	FM_VALUES(P)
#undef P
};

const struct fm_state_row fm_states[FM_STATE__KINDS] = {
#define W(subject, name, word)	{ FM_SUBJECT_##subject, (word) },
	FM_STATES(W)
#undef W
};

const struct fm_ban_row fm_bans[FM_BAN_ROWS] = {
#define F(kind, name, duration)	{ (name), (duration) },
	FM_BAN_FIELDS(F)
#undef F
};

const struct fm_ban_row *
fm_ban_row(struct fm_text field)
{
	const char *name;
	size_t i, len;

	for (i = 0; i < FM_BAN_ROWS; i++) {
		name = fm_bans[i].name;
		len = strlen(name);
		if (name[len - 1] == '.' ? field.len > len &&
		    fm_text_begins(field, name) :
		    fm_text_eq(field, fm_text(name, len)))
			return (&fm_bans[i]);
	}
	return (NULL);
}

const char *
fm_mode_word(enum fm_pattern_kind mode)
{
	static const char * const words[] = {
#define M(name, word, class, kind)	[FM_PATTERN_##kind] = (word),
#define O(...)
		FM_MODES(M, O)
#undef M
#undef O
	};

	assert(mode < sizeof words / sizeof words[0]);
	return (words[mode]);
}

const char *
fm_stmt_word(enum fm_stmt_kind kind)
{
	assert(kind < FM_STMT__KINDS);
	return (fm_token_names[fm_stmt_token(kind)]);
}

const char *
fm_subject_word(enum fm_subject_kind kind)
{
	static const uint8_t tokens[] = {
#define S(subject, token, ...)	[FM_SUBJECT_##subject] = T_##token,
#define A(...)
		FM_SUBJECTS(S, A)
#undef S
#undef A
	};

	assert(kind < sizeof tokens / sizeof tokens[0]);
	if (kind == FM_SUBJECT_REQUEST_HEADER)
		return ("request header");
	return (kind == FM_SUBJECT_CLEAN_PATH ? "clean path" :
	    fm_token_names[tokens[kind]]);
}

const char *
fm_verdict_word(enum fm_verdict verdict)
{
	assert(verdict < FM_VERDICT__KINDS);
	return (fm_verdicts[verdict].word);
}

const char *
fm_phase_word(enum fm_phase phase)
{
	assert(phase < FM_PHASE__KINDS);
	return (phase == FM_PHASE_REQUEST ? "request" :
	    fm_stmt_word(fm_phase_stmt(phase)));
}

unsigned
fm_state_flag(enum fm_subject_kind subject, struct fm_text word)
{
	unsigned i;

	for (i = 0; i < FM_STATE__KINDS; i++)
		if (fm_states[i].subject == subject &&
		    fm_text_eq(word, fm_text_of(fm_states[i].word)))
			return (1U << i);
	return (0);
}

const struct fm_subject_row *
fm_subject_row(enum fm_subject_kind kind)
{
	size_t i = 0;

	while (i + 1 < FM_SUBJECT_ROWS && fm_subjects[i].kind != kind)
		i++;
	return (&fm_subjects[i]);
}

const struct fm_value_row *
fm_value_row(enum fm_part_kind kind)
{
	size_t i;

	for (i = 0; i < FM_VALUE_ROWS; i++)
		if (fm_values[i].kind == kind)
			return (&fm_values[i]);
	return (NULL);
}

enum fm_subject_kind
fm_part_subject(enum fm_part_kind kind)
{
	const struct fm_value_row *row = fm_value_row(kind);

	return (row == NULL ? FM_SUBJECT_PATH :
	    (enum fm_subject_kind)row->subject);
}
