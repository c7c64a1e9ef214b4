import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Busboy } from 'busboy';
import { processRequest } from 'graphql-upload-minimal';
import { guardParser } from '../../../src/patches/graphql-upload-minimal.ts';

/** A name that no other test looks at. */
const PROPERTY = 'graphqlUploadMinimalWasHere';
const BODY = [
  '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"variables":{}}\r\n',
  `--b\r\nContent-Disposition: form-data; name="map"\r\n\r\n{"0":["variables.toString.${PROPERTY}"]}\r\n`,
  '--b--\r\n',
].join('');

/** What the library makes of a map that leaves the operations. */
function sendMap(onParser: (parser: Busboy) => void = () => {}): Promise<object> {
  const body = new PassThrough();
  const request = Object.assign(body, {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    pipe: (parser: Busboy) => {
      onParser(parser);
      return PassThrough.prototype.pipe.call(body, parser);
    },
  });
  const operation = processRequest(request as unknown as IncomingMessage, {} as ServerResponse);
  body.end(BODY);
  return operation as Promise<object>;
}

afterEach(() => {
  Reflect.deleteProperty(Object.prototype.toString, PROPERTY);
});

test('graphql-upload-minimal follows inherited properties, so its patch is needed', async () => {
  await sendMap();
  expect(Object.hasOwn(Object.prototype.toString, PROPERTY)).toBe(true);
});

test('the patch shows a map to its guard before the library reads it', async () => {
  const seen: unknown[] = [];
  const refused = new Promise<Error>((resolve) => {
    const guard = {
      operations: (operations: object) => seen.push(operations),
      map(isInside: boolean) {
        seen.push(isInside);
        throw new Error('refused');
      },
    };
    sendMap((parser) => guardParser(parser, guard, resolve)).catch(() => {});
  });
  expect((await refused).message).toBe('refused');
  expect(seen).toEqual([{ variables: {} }, false]);
  expect(Object.hasOwn(Object.prototype.toString, PROPERTY)).toBe(false);
});
