/*
 * pdfjs-dist draws with @napi-rs/canvas, 33 MB, in Node.js. Here it draws in browsers alone. npm links this folder in its place,
 * because a workspace with a fitting name and version comes before the registry. To draw PDFs in Node.js, remove the folder and
 * run `npm install`.
 */
throw new Error('@napi-rs/canvas is not installed: see stand-ins/napi-canvas/canvas.js');
