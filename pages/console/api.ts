import type { Bilingual } from './language.tsx';
import { currentSession, end } from './session.ts';
import type { DocumentTypeDecoration } from './typed-document.ts';

/** What the API has refused, or why there is no answer. */
export class ApiError extends Error {
  constructor(
    readonly text: Bilingual,
    readonly code: string,
    /** Texts by field. */
    readonly fields: Readonly<Record<string, readonly Bilingual[]>> = {},
    readonly challenge?: string,
  ) {
    super(text[0]);
  }
}

interface Answer<T> {
  data?: T | null;
  errors?: {
    message: string;
    extensions?: {
      code?: string;
      errors?: Record<string, string[]>;
      rules?: Record<string, { rule: string; limit?: unknown }[]>;
      challenge?: string;
      reason?: string;
      retryAfterSeconds?: number;
      maxAge?: number;
    };
  }[];
}

/** Where an operation is sent: the operators' API, or the one of everybody else, which has the reviews. */
type Endpoint = 'operators/graphql' | 'graphql';

const AWAY: Bilingual = [
  'The gateway does not answer. Look at the network, and try again.',
  'Der Dienst antwortet nicht. Prüfen Sie die Verbindung, und versuchen Sie es noch einmal.',
];
const MAY_BE_DONE: Bilingual = [
  'It may have happened: look again.',
  'Vielleicht ist es trotzdem geschehen: Sehen Sie neu nach.',
];

/**
 * Sends an operation with the token of the session.
 * @throws ApiError. An invalid token ends the session
 */
export async function send<T, V>(
  document: DocumentTypeDecoration<T, V>,
  variables: NoInfer<V>,
  endpoint: Endpoint = 'operators/graphql',
): Promise<T> {
  const session = currentSession();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(session && { Authorization: `Bearer ${session.token}` }),
    },
    body: JSON.stringify({ query: String(document), variables }),
    credentials: 'omit',
    redirect: 'error',
  }).catch(() => undefined);
  const answer = (await response?.json().catch(() => undefined)) as Answer<T> | undefined;
  const [error] = answer?.errors ?? [];
  if (answer?.data && !error) {
    return answer.data;
  }
  throw errorOf(error, session !== undefined);
}

function errorOf(
  error: NonNullable<Answer<unknown>['errors']>[number] | undefined,
  hadSession: boolean,
): ApiError {
  if (!error) {
    return new ApiError(AWAY, 'NETWORK_ERROR');
  }
  const { code = 'INTERNAL_SERVER_ERROR', challenge, reason, maxAge, ...facts } = error.extensions ?? {};
  if (code === 'UNAUTHENTICATED' && hadSession) {
    end('ENDED');
  }
  // Reading needs a proof of the last twelve hours, a change one of the last 15 minutes: see StepUp.
  if (code === 'INSUFFICIENT_USER_AUTHENTICATION' && maxAge !== 900) {
    end('TOO_OLD');
  }
  const { errors = {}, rules = {}, retryAfterSeconds = 60 } = facts;
  const fields = Object.fromEntries(
    Object.entries(errors).map(([field, texts]) => [
      field,
      texts.map((text, at): Bilingual => [text, german(rules[field]?.[at]?.rule, rules[field]?.[at]?.limit)]),
    ]),
  );
  const text = textOf(code, error.message, Object.values(fields).flat(), retryAfterSeconds);
  return new ApiError(reason === 'unknown' ? MAY_BE_DONE : text, code, fields, challenge);
}

function textOf(code: string, message: string, broken: readonly Bilingual[], seconds: number): Bilingual {
  switch (code) {
    case 'TOO_MANY_ATTEMPTS':
      return [`Too many attempts. Try again in ${seconds} seconds.`, german(code, seconds)];
    case 'FORBIDDEN':
      return [
        'This is not permitted: the account is that of an operator or a reviewer, or another operator has to confirm the act.',
        german(code),
      ];
    default:
      return [message, broken.map((text) => text[1]).join(' ') || german(code)];
  }
}

/** The German text of an error by its code, or of a field by the rule that it breaks: the gateway has them in English. */
function german(name = '', limit: unknown = ''): string {
  const texts: Readonly<Record<string, string>> = {
    INVALID_CREDENTIALS: 'Es gibt kein Konto mit dieser E-Mail-Adresse und diesem Passwort.',
    SERVICE_UNAVAILABLE: 'Der Dienst ist überlastet. Versuchen Sie es gleich noch einmal.',
    TOO_MANY_ATTEMPTS: `Zu viele Versuche. Versuchen Sie es in ${limit} Sekunden noch einmal.`,
    FORBIDDEN: 'Das ist Ihnen nicht erlaubt.',
    required: 'Bitte ausfüllen.',
    max_length: `Bitte höchstens ${limit} Zeichen.`,
    max_bytes: `Das ist zu lang: höchstens ${limit} Bytes.`,
    min_length: `Bitte mindestens ${limit} Zeichen.`,
    email: 'Bitte geben Sie eine E-Mail-Adresse ein, etwa sam@example.org.',
    format: 'Das hat nicht die richtige Form.',
    common: 'Dieses Passwort benutzen viele. Bitte wählen Sie ein anderes.',
    personal: 'Bitte wählen Sie ein Passwort ohne Ihren Namen und Ihre E-Mail-Adresse.',
    wrong: 'Das ist nicht richtig.',
    expired: 'Das gilt nicht mehr. Melden Sie sich neu an, oder bitten Sie um einen neuen Link.',
  };
  return texts[name] ?? 'Das ging nicht. Laden Sie die Seite neu, und versuchen Sie es noch einmal.';
}
