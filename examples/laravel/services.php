<?php

// For config/services.php. In config/auth.php, add 'gateway' => ['driver' => 'gateway'] to `guards`.

return [
    'gateway' => [
        'url' => env('AUTH_GATEWAY_URL'),
        'client' => env('AUTH_GATEWAY_CLIENT'),
        'secret' => env('AUTH_GATEWAY_SECRET'),
    ],
];
