export {
  type AuthServer,
  type AuthServerOptions,
  createAuthServer,
  type HasHeaders,
  type ServerSession,
} from './auth-server.ts';
export { type AddressOf, forwardedFor } from './visitor.ts';
