import type { ScalarConfiguration } from './scalar.ts';

/**
 * The settings of Scalar. Nothing comes from another host or goes there, and nothing is kept.
 * @param content the document, as YAML
 * @param onLoaded called when the document is shown
 * @returns the settings, by the access token to fill in
 */
export const configuration =
  (content: string, onLoaded: () => void) =>
  (token = ''): ScalarConfiguration => ({
    content,
    onLoaded,
    // The gateway may be below the path of a proxy.
    baseServerURL: new URL('.', location.href).href.replace(/\/$/, ''),
    authentication: {
      preferredSecurityScheme: 'accessToken',
      securitySchemes: { accessToken: { token } },
    },
    persistAuth: false,
    telemetry: false,
    agent: { disabled: true },
    withDefaultFonts: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    // It would have the e-mail addresses of this page.
    documentDownloadType: 'none',
    defaultOpenAllTags: true,
    // Each operation shows its schemas; forty more entries would only hide the operations.
    hideModels: true,
    orderSchemaPropertiesBy: 'preserve',
  });
