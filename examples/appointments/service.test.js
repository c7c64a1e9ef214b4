import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createGuard } from '@auth-gateway/guard';
import { startTestGateway } from '@auth-gateway/testing';
import { Appointments } from './appointments.js';
import { createService } from './service.js';

/*
 * How a service tests itself against a whole gateway: no token is made up, and no answer of the gateway is imitated.
 * Run it with `node --test` where the four packages are installed.
 */

/** @type {import('@auth-gateway/testing').TestGateway} */
let gateway;
/** @type {import('node:http').Server} */
let server;
let url = '';

before(async () => {
  gateway = await startTestGateway({ services: ['appointments'] });
  const secret = gateway.secretOf('appointments');
  const guard = createGuard({ url: gateway.url, client: 'appointments', secret });
  /** @type {import('express').RequestHandler} */
  const subgraph = (_req, res) => void res.status(404).end();
  server = createService({ guard, appointments: new Appointments(), subgraph: [subgraph] }).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/appointments`;
});
after(async () => {
  server.close();
  await gateway.stop();
});

/**
 * @param {string} method
 * @param {string} path
 * @param {string} token
 * @param {object} [body]
 */
const ask = (method, path, token, body) =>
  fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

test('a patient books, and only a verified doctor confirms', async () => {
  const patient = await gateway.createPatient();
  const pending = await gateway.createDoctor();
  const verified = await gateway.createDoctor({ verified: true });
  for (const [doctor, status] of /** @type {const} */ ([
    [pending, 403],
    [verified, 204],
  ])) {
    const fields = { doctor: doctor.account.id, startsAt: '2030-01-31T12:00:00Z' };
    const booked = await ask('POST', '', patient.token, fields);
    assert.equal(booked.status, 201);
    const { data } = /** @type {{ data: { id: string } }} */ (await booked.json());
    assert.equal((await ask('PUT', `/${data.id}/confirmation`, doctor.token)).status, status);
  }
});

test('nobody else gets in', async () => {
  const reviewer = await gateway.createReviewer();
  assert.equal((await ask('POST', '', reviewer.token, {})).status, 403);
  assert.equal((await ask('GET', '', 'nonsense')).status, 401);
});
