/** Control characters. A terminal would obey them, and callers choose their names, paths and user agents. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
