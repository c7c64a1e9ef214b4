import { fastTime, fastWarmUp, requestRate, warmUp } from '../support/load.js';
import { jsonRequest, meRequest } from '../support/requests.js';
import { tokensOfClients } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const CLIENTS = 32;

export const row = {
  what: `GraphQL me, ${CLIENTS} clients`,
  yardstick: 'bare Apollo Server, a static account',
  unit: '/s',
  reach: { least: 0.7 },
  // By a number of requests, instead.
  isWarm: false,
  async open({ quick }) {
    const time = fastTime(quick);
    const database = await startDatabase();
    const requests = (await tokensOfClients(database.uri, CLIENTS)).map(meRequest);
    const settings = { MONGODB_URI: database.uri };
    const gateway = await startProduction(settings);
    const lookups = await startYardstick('apollo-lookups', settings);
    const apollo = await startYardstick('apollo-static');
    const express = await startYardstick('express-json');
    for (const { port } of [gateway, apollo, lookups]) {
      await warmUp(port, CLIENTS, fastWarmUp(quick), (i) => requests[i]);
    }
    const rateOf = ({ port }, requestOf) => requestRate(port, CLIENTS, requestOf, time);
    const plain = jsonRequest('/', {});
    return {
      yardstick: () => rateOf(apollo, (i) => requests[i]),
      value: () => rateOf(gateway, (i) => requests[i]),
      processes: { yardstick: [apollo.pid], value: [gateway.pid, database.pid] },
      others: {
        'bare Apollo Server with two driver look-ups': () => rateOf(lookups, (i) => requests[i]),
        'bare Express, a static JSON': () => rateOf(express, () => plain),
      },
      close: async () => {
        for (const server of [gateway, lookups, apollo, express, database]) {
          await server.stop();
        }
      },
    };
  },
};
