'use client';

export { AuthProvider, type AuthProviderProps, useAuth, useSession } from './auth-provider.ts';
