/** A check has failed, and the move has changed nothing. The text is for the operator. */
export class MoveRefusal extends Error {}
