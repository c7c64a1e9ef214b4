/** The answers of a registration or login, in which a token stands beside or inside `data`. */
interface Answer {
  token?: unknown;
  data?: { token?: unknown };
}

/** What the page does about the answers to its requests. */
interface Reactions {
  /** Called with each new token, and with an empty text after a logout. */
  useToken(token: string): void;
  /** Called after a registration, whose e-mail address is now taken. */
  registered(): void;
}

/** Watches the requests of the page, so that nobody has to copy a token or to think of a new e-mail address. */
export function followRequests({ useToken, registered }: Reactions): void {
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    if (response.ok && response.url.endsWith('/logout')) {
      useToken('');
    } else if (response.ok) {
      const { token, data } = await readAnswer(response.clone());
      const issued = token ?? data?.token;
      if (typeof issued === 'string') {
        useToken(issued);
      }
      if (response.url.includes('/register/')) {
        registered();
      }
    }
    return response;
  };
}

const readAnswer = (response: Response): Promise<Answer> =>
  response.json().then(
    (answer: Answer | null) => answer ?? {},
    () => ({}),
  );
