<?php

// Follows the feed of events (docs/events.md). The change and the cursor are one transaction.

$gateway = getenv('GATEWAY') ?: 'http://127.0.0.1:4000';
$credentials = base64_encode((getenv('SERVICE') ?: 'records') . ':' . getenv('SECRET'));
$db = new PDO('sqlite:' . (getenv('FILE') ?: 'records.sqlite'), options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$db->exec('CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, state TEXT)');
$db->exec('CREATE TABLE IF NOT EXISTS feed (next TEXT)');

function ask(string $path, ?array $body = null): array
{
    global $gateway, $credentials;
    $http = ['header' => "Authorization: Basic $credentials\r\nContent-Type: application/json", 'ignore_errors' => true, 'timeout' => 40];
    if ($body !== null) {
        $http += ['method' => 'POST', 'content' => json_encode($body)];
    }
    $text = @file_get_contents($gateway . $path, false, stream_context_create(['http' => $http]));
    $status = $text === false ? 0 : (int) explode(' ', $http_response_header[0])[1];
    return [$status, json_decode((string) $text, true)];
}

/** The change and the cursor in one transaction: a kill leaves both or neither. */
function store(array $accounts, ?string $next): void
{
    global $db;
    $db->beginTransaction();
    foreach ($accounts as ['id' => $id, 'state' => $state]) {
        $db->prepare('DELETE FROM accounts WHERE id = ?')->execute([$id]);
        if ($state !== 'erased') {
            $db->prepare('INSERT INTO accounts VALUES (?, ?)')->execute([$id, $state]);
        }
    }
    $db->exec('DELETE FROM feed');
    if ($next !== null) {
        $db->prepare('INSERT INTO feed VALUES (?)')->execute([$next]);
    }
    $db->commit();
}

/** The first start, and after a 410. */
function beginAgain(): int
{
    global $db;
    [$status, $page] = ask('/events');
    if ($status !== 200) {
        return $status;
    }
    $accounts = [];
    $ids = $db->query('SELECT id FROM accounts')->fetchAll(PDO::FETCH_COLUMN);
    foreach (array_chunk($ids, 500) as $some) {
        [$status, $answer] = ask('/events/accounts', ['ids' => $some]);
        if ($status !== 200) {
            return $status;
        }
        $accounts = [...$accounts, ...$answer['accounts']];
    }
    store($accounts, $page['next']);
    return 200;
}

while (true) {
    $next = $db->query('SELECT next FROM feed')->fetchColumn();
    if ($next === false) {
        $status = beginAgain();
    } else {
        [$status, $page] = ask('/events?wait=20&after=' . rawurlencode($next));
        if ($status === 200) {
            store(array_filter(array_column($page['events'], 'account')), $page['next']);
        } elseif ($status === 410) {
            store([], null);
            continue;
        }
    }
    if ($status !== 200) {
        fwrite(STDERR, "the gateway answered $status\n");
        sleep(1);
    }
}
