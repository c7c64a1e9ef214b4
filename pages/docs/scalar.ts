// The bundle that Scalar builds itself, 3.5 MB. Its Fastify plugin brings 18 packages; the package of the bundle would bring 280.
import standalone from '../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js?url';

import type { ExampleDocument } from './examples.ts';

/** The part of Scalar's configuration that the page uses: https://scalar.com/products/api-references/configuration. */
export interface ScalarConfiguration {
  /** The document, as YAML. */
  content: string;
  [setting: string]: unknown;
}

export interface ScalarReference {
  updateConfiguration(configuration: ScalarConfiguration): void;
}

/** The globals that Scalar's bundle defines. */
interface ScalarGlobals {
  Scalar: { createApiReference(element: Element, configuration: ScalarConfiguration): ScalarReference };
  /** For debugging. It is the only way to the document that Scalar shows, so `package.json` pins the version. */
  dataDumpWorkspace(): { workspace: { activeDocument: ExampleDocument } };
}

const globals = globalThis as unknown as ScalarGlobals;

/**
 * Loads Scalar and shows the document in an element.
 * @throws Error if the bundle cannot be loaded
 */
export async function showReference(
  element: Element,
  configuration: ScalarConfiguration,
): Promise<ScalarReference> {
  await loadScript(standalone);
  return globals.Scalar.createApiReference(element, configuration);
}

/** The document that Scalar shows. The page follows its changes. */
export const shownDocument = (): ExampleDocument => globals.dataDumpWorkspace().workspace.activeDocument;

function loadScript(url: string): Promise<void> {
  const script = document.createElement('script');
  script.src = url;
  document.head.append(script);
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${url} cannot be loaded.`)));
  });
}
