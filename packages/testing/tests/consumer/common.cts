import testing = require('@auth-gateway/testing');

const settings: testing.GatewaySettings = { BCRYPT_COST: '5' };
// @ts-expect-error: settings are texts
void testing.startTestGateway({ BCRYPT_COST: 5 });
void testing.startTestGateway(settings).then((gateway: testing.TestGateway) => gateway.stop());
