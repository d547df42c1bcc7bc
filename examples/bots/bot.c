/* A bot in C, without any library: it plays a random legal move.
 *
 * cc -O2 -o my-bot examples/bots/bot.c
 * fogbound run scotland-yard/plan1 --agents "program:./my-bot,heuristic"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the value of a key begins, or NULL. Good enough here: no text that we look through holds these words. */
static char *value_of(char *text, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    char *found = text ? strstr(text, quoted) : NULL;
    if (!found) return NULL;
    found += strlen(quoted);
    while (*found == ' ') found++;
    return found;
}

/* Where a list ends that begins here: brackets are counted. */
static char *end_of(char *list) {
    int depth = 0;
    for (char *at = list; *at; at++) {
        if (*at == '[') depth++;
        if (*at == ']' && --depth == 0) return at;
    }
    return list;
}

/* The code of a random entry of the list of legal moves. */
static long long choose(char *legal) {
    char *end = end_of(legal);
    long long chosen = -1;
    int seen = 0;
    for (char *at = value_of(legal, "code"); at && at < end; at = value_of(at, "code"))
        if (rand() % ++seen == 0) chosen = atoll(at); /* each so far is equally likely */
    return chosen;
}

static int is(char *message, const char *type) {
    char *value = value_of(message, "type");
    return value && strncmp(value + 1, type, strlen(type)) == 0;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (is(line, "quit")) break;
        if (is(line, "hello")) puts("{\"type\": \"hello\", \"protocol\": 1, \"name\": \"Random in C\"}");
        if (is(line, "game")) {
            srand((unsigned)atoll(value_of(line, "seed")));
            puts("{\"type\": \"game\"}");
        }
        if (is(line, "move")) printf("{\"type\": \"move\", \"move\": %lld}\n", choose(value_of(line, "legal")));
        fflush(stdout);
    }
    free(line);
    return 0;
}
