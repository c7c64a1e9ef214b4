/** The path of token introspection (RFC 7662), below the address of the gateway. */
export const INTROSPECTION = '/oauth/introspect';
