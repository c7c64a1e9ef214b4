// An entry of its own, so that the manifest lists the picture for every page.
export { default } from './favicon.svg?url';
