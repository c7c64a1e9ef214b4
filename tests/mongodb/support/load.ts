import { setTimeout as wait } from 'node:timers/promises';
import {
  DecideOnDoctorDocument,
  DeleteMyAccountDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import type { Outcome } from '../../support/api.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';

/** An answer to an act. */
export interface Answer {
  act: string;
  /** 0 if there was no answer, or none of the contract. */
  status: number;
  isSuccess: boolean;
  millis: number;
  retryAfter: string | null;
  /** The `X-Request-Id`, by which the audit trail has the event of the act. */
  requestId: string | null;
  /** Why there is no answer. */
  problem?: string;
}

/** What the answers say of a person. The life of a person ends with the first act that was not answered with success. */
export interface Person {
  email: string;
  role: 'doctor' | 'patient';
  /** One of these logs in. There are two if a change was not answered with success. */
  passwords: string[];
  /** Passwords that log in no more. */
  formerPasswords: string[];
  heldTokens: string[];
  endedTokens: string[];
  registered: 'yes' | 'maybe';
  approved: 'yes' | 'maybe' | 'no';
  closed: 'yes' | 'maybe' | 'no';
}

interface LoadParts {
  /** The gateways. */
  urls: readonly string[];
  /** The token of a reviewer. */
  reviewerToken: string;
  /** Makes a reset token for an account, as an operator does. It rejects while the database is unreachable. */
  makeResetCode: (email: string) => Promise<string>;
}

/** How many people act at the same time. */
const WORKERS = 4;
const PAUSE_MILLIS = 20;
/** One in so many is a doctor, or forgets the password. */
const DOCTORS = 4;
const FORGETFUL = 10;

type Sent = Pick<Outcome, 'ok' | 'http'> & { token?: string };

/** A person of whom nothing is known yet but what was sent. */
const stranger = (
  role: Person['role'],
  { email, password }: { email: string; password: string },
): Person => ({
  email,
  role,
  passwords: [password],
  formerPasswords: [],
  heldTokens: [],
  endedTokens: [],
  registered: 'maybe',
  approved: 'no',
  closed: 'no',
});

/** People who register, log in and out, change passwords, are reviewed and leave, at several gateways in turn. */
export class Load {
  readonly answers: Answer[] = [];
  readonly people: Person[] = [];
  readonly #parts: LoadParts;
  #isStopped = false;
  #calls = 0;
  #working: Promise<unknown> = Promise.resolve();

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#working = Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
  }

  /** Resolves when the last act is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      await this.#life(this.people.length);
      await wait(PAUSE_MILLIS);
    }
  }

  #life(number: number): Promise<void> {
    if (number % FORGETFUL === 0) {
      return this.#forgetful();
    }
    return number % DOCTORS === 0 ? this.#doctor() : this.#patient();
  }

  /** @returns the answer, if it is a success; undefined ends the life */
  async #send(act: string, send: (url: string) => Promise<Sent>): Promise<Sent | undefined> {
    const { urls } = this.#parts;
    const url = urls[this.#calls++ % urls.length] ?? '';
    const begunAt = performance.now();
    try {
      const sent = await send(url);
      const { status, headers } = sent.http;
      this.answers.push({
        act,
        status,
        isSuccess: sent.ok,
        millis: performance.now() - begunAt,
        retryAfter: headers.get('retry-after'),
        requestId: headers.get('x-request-id'),
      });
      return sent.ok ? sent : undefined;
    } catch (error) {
      const millis = performance.now() - begunAt;
      const nothing = { status: 0, isSuccess: false, retryAfter: null, requestId: null };
      this.answers.push({ act, ...nothing, millis, problem: String(error) });
      return undefined;
    }
  }

  /** Registers, and ends with a token. */
  async #register(person: Person, register: (url: string) => Promise<Outcome>): Promise<string | undefined> {
    this.people.push(person);
    const token = (await this.#send(`registration of a ${person.role}`, register))?.token;
    if (token !== undefined) {
      person.registered = 'yes';
      person.heldTokens.push(token);
    }
    return token;
  }

  async #patient(): Promise<void> {
    const fields = aPatient();
    const person = stranger('patient', fields);
    const token = await this.#register(person, (url) => restApi(url).registerPatient(fields));
    const isIn = token !== undefined && (await this.#inAndOut(person));
    if (isIn && (await this.#changePassword(person, token)) && this.people.length % 2 === 0) {
      await this.#close(person, token);
    }
  }

  async #doctor(): Promise<void> {
    const fields = aDoctor();
    const person = stranger('doctor', fields);
    let id = '';
    const token = await this.#register(person, async (url) => {
      const outcome = await graphqlApi(url).registerDoctor(fields);
      id = (outcome.ok && outcome.account?.id) || '';
      return outcome;
    });
    if (token !== undefined) {
      await this.#review(person, id);
    }
  }

  /** Logs in and out. @returns false if one of them was not answered with success */
  async #inAndOut(person: Person): Promise<boolean> {
    const [password] = person.passwords;
    const login = await this.#send('login', (url) => restApi(url).login({ email: person.email, password }));
    const token = login?.token;
    if (token === undefined) {
      return false;
    }
    const logout = await this.#send('logout', (url) => graphqlApi(url).logout(`Bearer ${token}`));
    if (logout) {
      person.endedTokens.push(token);
    }
    return logout !== undefined;
  }

  /** Sets a new password. @returns false if it was not answered with success */
  async #newPassword(act: string, person: Person, send: (url: string, password: string) => Promise<Sent>) {
    const password = freshPassword();
    const [former = ''] = person.passwords;
    const isSet = (await this.#send(act, (url) => send(url, password))) !== undefined;
    person.passwords = isSet ? [password] : [former, password];
    if (isSet) {
      person.formerPasswords.push(former);
    }
    return isSet;
  }

  #changePassword(person: Person, token: string): Promise<boolean> {
    const [currentPassword] = person.passwords;
    return this.#newPassword('password change', person, (url, newPassword) =>
      graphqlApi(url).changePassword({ currentPassword, newPassword }, `Bearer ${token}`),
    );
  }

  async #forgetful(): Promise<void> {
    const fields = aPatient();
    const person = stranger('patient', fields);
    const token = await this.#register(person, (url) => restApi(url).registerPatient(fields));
    const code = token && (await this.#parts.makeResetCode(person.email).catch(() => undefined));
    if (!code) {
      return;
    }
    const isSet = await this.#newPassword('reset', person, (url, newPassword) =>
      restApi(url).resetPassword({ token: code, email: person.email, newPassword }),
    );
    const tokens = person.heldTokens.splice(0);
    if (isSet) {
      person.endedTokens.push(...tokens);
    }
  }

  async #review(person: Person, id: string): Promise<void> {
    const { reviewerToken } = this.#parts;
    const variables = { id, revision: 0, decision: 'APPROVE' };
    const decided = await this.#send('review', (url) =>
      sent(execute(url, DecideOnDoctorDocument, variables, bearer(reviewerToken))),
    );
    person.approved = decided ? 'yes' : 'maybe';
  }

  async #close(person: Person, token: string): Promise<void> {
    const [password] = person.passwords;
    rememberPassword(password);
    const closed = await this.#send('closing', (url) =>
      sent(execute(url, DeleteMyAccountDocument, { input: { password } }, bearer(token))),
    );
    person.closed = closed ? 'yes' : 'maybe';
    const tokens = person.heldTokens.splice(0);
    if (closed) {
      person.endedTokens.push(...tokens);
    }
  }
}

async function sent(executed: Promise<{ http: HttpResponse; body: { errors?: unknown[] } }>): Promise<Sent> {
  const { http, body } = await executed;
  return { ok: http.status === 200 && body.errors === undefined, http };
}
