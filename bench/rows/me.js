import { MongoClient } from 'mongodb';
import { succeed, withConnections } from '../support/connection.js';
import { rate, warmUp } from '../support/load.js';
import { jsonRequest, meRequest } from '../support/requests.js';
import { tokensOfClients } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const CLIENTS = 32;

export const row = {
  what: `GraphQL me, ${CLIENTS} clients`,
  yardstick: 'bare Apollo Server with two driver look-ups',
  unit: '/s',
  reach: { least: 0.8 },
  // By a number of requests, instead.
  isWarm: false,
  async open({ quick }) {
    const time = { settleMillis: quick ? 500 : 1000, millis: quick ? 2000 : 4000 };
    const database = await startDatabase();
    const requests = (await tokensOfClients(database.uri, CLIENTS)).map(meRequest);
    const settings = { MONGODB_URI: database.uri };
    const gateway = await startProduction(settings);
    const lookups = await startYardstick('apollo-lookups', settings);
    const apollo = await startYardstick('apollo-static');
    const express = await startYardstick('express-json');
    for (const { port } of [gateway, lookups]) {
      await warmUp(port, CLIENTS, quick ? 2000 : 10_000, (i) => requests[i]);
    }
    const driver = await new MongoClient(database.uri).connect();
    const accounts = driver.db('auth_gateway').collection('accounts');
    const { _id } = await accounts.findOne();
    const rateOf = (server, requestOf) =>
      withConnections(server.port, CLIENTS, (connections) =>
        rate((i) => succeed(connections[i], requestOf(i)), CLIENTS, time),
      );
    const plain = jsonRequest('/', {});
    return {
      yardstick: () => rateOf(lookups, (i) => requests[i]),
      value: () => rateOf(gateway, (i) => requests[i]),
      processes: { yardstick: [lookups.pid, database.pid], value: [gateway.pid, database.pid] },
      others: {
        'bare Apollo Server, a static account': () => rateOf(apollo, (i) => requests[i]),
        'bare Express, a static JSON': () => rateOf(express, () => plain),
        'bare driver, one findOne': () => rate(() => accounts.findOne({ _id }), CLIENTS, time),
      },
      close: async () => {
        await driver.close();
        for (const server of [gateway, lookups, apollo, express, database]) {
          await server.stop();
        }
      },
    };
  },
};
