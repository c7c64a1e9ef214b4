import { ServiceUnavailableError, TooManyAttemptsError } from '../../../src/errors/errors.ts';
import { UploadRoom } from '../../../src/http/uploads/upload-room.ts';

const aRoom = () =>
  new UploadRoom({ all: { uploads: 4, bytes: 1000 }, perAddress: { uploads: 3, bytes: 400 } });

test('the uploads of an address are limited, and a place that is given back is free again', () => {
  const room = aRoom();
  const places = [1, 2, 3].map(() => room.enter('a', 0));
  expect(() => room.enter('a', 0)).toThrow(TooManyAttemptsError);
  places[0]?.leave();
  room.enter('a', 0);
  expect(() => room.enter('a', 0)).toThrow(TooManyAttemptsError);
});

test('the bytes of an address are limited, declared and received ones', () => {
  const room = aRoom();
  room.enter('a', 300);
  expect(() => room.enter('a', 101)).toThrow(TooManyAttemptsError);
  const chunked = room.enter('a', 0);
  chunked.growTo(100);
  expect(() => chunked.growTo(101)).toThrow(TooManyAttemptsError);
  expect(chunked.heldBytes).toBe(100);
});

test('uploads and bytes are limited in all, with 503', () => {
  const uploads = aRoom();
  for (const address of ['a', 'b', 'c', 'd']) {
    uploads.enter(address, 0);
  }
  expect(() => uploads.enter('e', 0)).toThrow(ServiceUnavailableError);

  const bytes = aRoom();
  bytes.enter('a', 400);
  bytes.enter('b', 400);
  const chunked = bytes.enter('c', 0);
  expect(() => chunked.growTo(201)).toThrow(ServiceUnavailableError);
  chunked.growTo(200);
});

test('bytes within the declared length take no more room', () => {
  const room = aRoom();
  const place = room.enter('a', 400);
  for (const bytes of [1, 200, 400]) {
    place.growTo(bytes);
  }
  expect(place.heldBytes).toBe(400);
});

test('room that was refused is not taken', () => {
  const room = aRoom();
  for (const address of ['a', 'b']) {
    room.enter(address, 400);
  }
  expect(() => room.enter('c', 300)).toThrow(ServiceUnavailableError);
  room.enter('c', 200);
});

test('room is given back only once, and a place that was left takes no more room', () => {
  const room = aRoom();
  const first = room.enter('a', 200);
  room.enter('a', 200);
  first.leave();
  first.leave();
  first.growTo(400);
  room.enter('a', 200);
  expect(() => room.enter('a', 1)).toThrow(TooManyAttemptsError);
});

test('an address without uploads is forgotten', () => {
  const room = aRoom();
  for (let round = 0; round < 1000; round += 1) {
    const place = room.enter(`address ${round}`, 400);
    place.growTo(300);
    place.leave();
  }
  for (const address of ['a', 'b']) {
    room.enter(address, 400);
  }
  room.enter('c', 200);
});
