<?php

// For boot() of a service provider (docs/behind-the-gateway.md, "A guard for Laravel").

use Illuminate\Auth\GenericUser;
use Illuminate\Http\Client\ConnectionException;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Http;

Auth::viaRequest('gateway', function (Request $request): ?GenericUser {
    if (! $token = $request->bearerToken()) {
        return null;
    }
    ['url' => $url, 'client' => $client, 'secret' => $secret] = config('services.gateway');
    try {
        $answer = Http::asForm()->withBasicAuth($client, $secret)->withoutRedirecting()->timeout(3)
            ->post("{$url}/oauth/introspect", ['token' => $token]);
        $session = $answer->status() === 200 ? $answer->json() : null;
    } catch (ConnectionException) {
        $session = null;
    }
    // Without a clear yes or no, nobody gets in.
    if (! is_bool($session['active'] ?? null)) {
        abort(503, 'Service Unavailable', ['Retry-After' => '1']);
    }

    return $session['active'] ? new GenericUser(['id' => $session['sub'], ...$session]) : null;
});
