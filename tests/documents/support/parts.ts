import { Agent, type ClientRequest } from 'node:http';
import { RegisterDoctorDocument } from '../../../packages/client/src/generated/graphql.ts';
import type { Api, UploadRequest } from '../../support/apis.ts';
import type { HttpResponse } from '../../support/http.ts';
import { aDoctor, type Fields } from '../../support/people.ts';
import { answerTo, openRequest } from '../../support/raw-http.ts';

/** One part of a multipart body, its headers as they go over the wire. */
export interface Part {
  name: string;
  headers: string[];
  content: Buffer;
}

/** What a test may do otherwise than a client would. */
export interface Spelling {
  boundary?: string;
  /** The whole Content-Type, in place of the right one. */
  contentType?: string;
  headers?: Record<string, string>;
  /** Absent: a connection of its own. */
  agent?: Agent;
}

const BOUNDARY = 'a-boundary-of-the-tests';

const disposition = (rest: string): string => `Content-Disposition: form-data; ${rest}`;

/** A part without a file name. */
export const textPart = (name: string, text: string): Part => ({
  name,
  headers: [disposition(`name="${name}"`)],
  content: Buffer.from(text),
});

/**
 * A part with a file name.
 * @param fileName the parameter of Content-Disposition as it goes over the wire, for example `filename="a.pdf"`
 */
export const filePart = (name: string, fileName: string, content: Buffer): Part => ({
  name,
  headers: [disposition(`name="${name}"; ${fileName}`), 'Content-Type: application/octet-stream'],
  content,
});

/** The parts of the request that registers a doctor at an API, in the order in which a client sends them. */
export async function doctorParts(api: Api, fields: Fields): Promise<Part[]> {
  const entries = [...api.doctorRequest(fields).form] as [string, string | File][];
  return Promise.all(
    entries.map(async ([name, value]) =>
      typeof value === 'string'
        ? textPart(name, value)
        : filePart(name, `filename="${value.name}"`, Buffer.from(await value.arrayBuffer())),
    ),
  );
}

const DOCUMENTS = ['licenseFile', 'diplomaFile', 'certificationFile'];

/**
 * Makes GraphQL requests that register a doctor with one file for all three documents.
 * @param paths of its places. With one, the operation itself uses its variable three times
 */
export const oneFileParts =
  (bytes: Buffer, paths = DOCUMENTS.map((name) => `variables.input.${name}`)) =>
  (): Part[] => {
    const { licenseFile: _, diplomaFile: __, certificationFile: ___, ...texts } = aDoctor();
    const input = { ...texts, ...Object.fromEntries(DOCUMENTS.map((name) => [name, null])) };
    const literal = Object.entries(texts).map(([name, text]) => `${name}: ${JSON.stringify(text)}`);
    const own = `{ ${literal.join(', ')}, ${DOCUMENTS.map((name) => `${name}: $file`).join(', ')} }`;
    const query =
      paths.length === 1
        ? String(RegisterDoctorDocument)
            .replace('$input: RegisterDoctorInput!', '$file: Upload!')
            .replace('input: $input', `input: ${own}`)
        : String(RegisterDoctorDocument);
    return [
      textPart(
        'operations',
        JSON.stringify({ query, variables: paths.length === 1 ? { file: null } : { input } }),
      ),
      textPart('map', JSON.stringify({ 0: paths })),
      filePart('0', 'filename="all.pdf"', bytes),
    ];
  };

export const isFile = ({ headers }: Part): boolean => headers.length > 1;

/** The parts as a body. */
export const encode = (parts: Part[], boundary = BOUNDARY): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

/** Opens a request for a body that the caller writes. */
export function openUpload(url: string, api: Api, length?: number, spelling: Spelling = {}): ClientRequest {
  const { path, headers }: UploadRequest = api.doctorRequest({});
  const { boundary = BOUNDARY, agent } = spelling;
  const contentType = spelling.contentType ?? `multipart/form-data; boundary=${boundary}`;
  return openRequest(url, {
    method: 'POST',
    path,
    ...(agent && { agent }),
    headers: {
      ...headers,
      'Content-Type': contentType,
      ...(length !== undefined && { 'Content-Length': length }),
      ...spelling.headers,
    },
  });
}

/** Sends parts and gives the answer, whatever it is. */
export function sendParts(url: string, api: Api, parts: Part[], spelling?: Spelling): Promise<HttpResponse> {
  const body = encode(parts, spelling?.boundary);
  const req = openUpload(url, api, body.length, spelling);
  req.end(body);
  return answerTo(req);
}

/** Runs something over one connection, which is used for request after request as long as the server keeps it open. */
export async function overOneConnection<T>(run: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await run(agent);
  } finally {
    agent.destroy();
  }
}
