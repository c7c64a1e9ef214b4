import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const client = createClient<paths>({ baseUrl: '' });

// Three mistakes that the types must find: no password, no such path, no such field in the answer.
await client.POST('/api/v1/auth/login', { body: { email: 'pat@example.org' } });
await client.POST('/api/v1/auth/signin', { body: { email: 'pat@example.org', password: 'correct horse' } });
const { data } = await client.POST('/api/v1/auth/logout');
data?.token;
