import { busyBelow } from '../../support/busy.ts';
import { type HttpResponse, jsonOf } from '../../support/http.ts';
import { expectQuarantineEmpty, inventoryOf, type TestApp } from '../../support/test-app.ts';

/** No hostile input may keep the service busy for longer. */
const BUSY_MILLIS = 2_000;

/** Every status that the gateway gives a request of a stranger (docs/contract.md, "Errors"). */
const STATUSES = [200, 201, 400, 401, 404, 405, 413, 415, 422];

const texts = expect.arrayContaining([expect.any(String)]);

interface AnyBody {
  message?: unknown;
  errors?: unknown;
  data?: unknown;
  token?: unknown;
}

/**
 * Sends a hostile request, and checks that the answer takes little work, is JSON of a documented shape, and no server error.
 * @param send makes the request
 */
export async function answered(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const response = await busyBelow(BUSY_MILLIS, send);
  expect(STATUSES).toContain(response.status);
  expectDocumentedShape(response);
  return response;
}

/** Checks that a body is one of the contract or of the GraphQL specification. */
export function expectDocumentedShape(response: HttpResponse): void {
  const body = jsonOf<AnyBody>(response);
  if (Array.isArray(body.errors)) {
    expectGraphqlErrors(body.errors);
  } else if (response.status >= 400) {
    expectRestRefusal(body);
  } else {
    expect(body).toEqual(expect.any(Object));
  }
}

function expectGraphqlErrors(errors: unknown[]): void {
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toMatchObject({ message: expect.any(String), extensions: { code: expect.any(String) } });
    expect(error).not.toMatchObject({ extensions: { code: 'INTERNAL_SERVER_ERROR' } });
  }
}

function expectRestRefusal({ message, errors = {}, ...others }: AnyBody): void {
  expect(others).toEqual({});
  expect(message).toEqual(expect.any(String));
  for (const shown of Object.values(Object(errors))) {
    expect(shown).toEqual(texts);
  }
}

/** Checks that an act leaves no record, no document and nothing in quarantine. */
export async function leavesNothing(app: TestApp, act: () => Promise<unknown>): Promise<void> {
  const before = await inventoryOf(app);
  await act();
  await expectQuarantineEmpty(app.storageDir);
  expect(await inventoryOf(app)).toEqual(before);
}

const BUILT_INS = [Object, Function, Array, String, Number, Boolean, Promise, Map, RegExp];

/** Every property of the built-in prototypes and of their functions, by path: what a polluted process would have more of. */
export const builtIns = (): string[] =>
  BUILT_INS.flatMap(({ name, prototype }) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([key, { value }]) => {
      const path = `${name}.prototype.${key}`;
      const inner = typeof value === 'function' ? Object.getOwnPropertyNames(value) : [];
      return [path, ...inner.map((property) => `${path}.${property}`)];
    }),
  );
