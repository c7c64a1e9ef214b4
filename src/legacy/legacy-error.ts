/** A check has failed, and the command has changed nothing. The text is for the operator. */
export class LegacyError extends Error {}

/** The operator has stopped a command. What it has finished until then stays. */
export class Stopped extends Error {}
