import guard = require('@auth-gateway/guard');

const options: guard.GuardOptions = { url: 'https://auth.example.org', client: 'a', secret: 'b' };
const { check }: guard.Guard = guard.createGuard(options);
void check('1|x').catch((error: guard.GuardError) => error.code);
