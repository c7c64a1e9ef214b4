import { once } from 'node:events';
import { env, stdout } from 'node:process';
import { createGuard } from '@auth-gateway/guard';
import { Appointments } from './appointments.js';
import { createService } from './service.js';
import { createSubgraph } from './subgraph.js';

const { AUTH_GATEWAY_URL = 'http://127.0.0.1:4000', AUTH_GATEWAY_SECRET = '', PORT = '4100' } = env;

const guard = createGuard({ url: AUTH_GATEWAY_URL, client: 'appointments', secret: AUTH_GATEWAY_SECRET });
const appointments = new Appointments();
const subgraph = await createSubgraph({ guard, appointments });
const server = createService({ guard, appointments, subgraph }).listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
stdout.write(`The appointments are at http://127.0.0.1:${port}/appointments\n`);
