/** The part of npm's negotiator that is used here. It comes without types. */
declare module 'negotiator' {
  export class Negotiator {
    constructor(request: { headers: NodeJS.Dict<string | string[]> });
    /** The one of these that `Accept-Language` prefers; undefined if it accepts none. */
    language(available: readonly string[]): string | undefined;
  }
}
