<?php

/*
 * The part of Laravel that the documented guard uses, with the names and results of Laravel 12. It runs the guard for one
 * request, and prints the outcome as JSON.
 *   php laravel.php <file of the guard> <file of the configuration> <bearer token>
 */

namespace Illuminate\Auth {
    class GenericUser implements \JsonSerializable
    {
        public function __construct(protected $attributes)
        {
        }

        public function getAuthIdentifier()
        {
            return $this->attributes['id'];
        }

        public function __get($key)
        {
            return $this->attributes[$key];
        }

        public function jsonSerialize(): array
        {
            return $this->attributes;
        }
    }
}

namespace Illuminate\Http {
    class Request
    {
        public function __construct(private ?string $token)
        {
        }

        public function bearerToken(): ?string
        {
            return $this->token;
        }
    }
}

namespace Illuminate\Http\Client {
    class ConnectionException extends \Exception
    {
    }

    class Response
    {
        public function __construct(private int $status, private string $body)
        {
        }

        public function status(): int
        {
            return $this->status;
        }

        public function json(): mixed
        {
            return json_decode($this->body, true);
        }
    }

    class PendingRequest
    {
        private array $options = ['method' => 'POST', 'ignore_errors' => true];
        private string $authorization = '';

        public function asForm(): static
        {
            return $this;
        }

        public function withBasicAuth(string $username, string $password): static
        {
            $this->authorization = 'Basic ' . base64_encode("{$username}:{$password}");
            return $this;
        }

        public function withoutRedirecting(): static
        {
            $this->options['follow_location'] = 0;
            return $this;
        }

        public function timeout(int $seconds): static
        {
            $this->options['timeout'] = $seconds;
            return $this;
        }

        public function post(string $url, array $data): Response
        {
            $http = $this->options + [
                'header' => [
                    "Authorization: {$this->authorization}",
                    'Content-Type: application/x-www-form-urlencoded',
                ],
                'content' => http_build_query($data),
            ];
            $body = @file_get_contents($url, false, stream_context_create(['http' => $http]));
            if ($body === false || ! isset($http_response_header[0])) {
                throw new ConnectionException('no answer');
            }
            return new Response((int) explode(' ', $http_response_header[0])[1], $body);
        }
    }
}

namespace Illuminate\Support\Facades {
    class Http
    {
        public static function asForm(): \Illuminate\Http\Client\PendingRequest
        {
            return (new \Illuminate\Http\Client\PendingRequest())->asForm();
        }
    }

    class Auth
    {
        public static array $callbacks = [];

        public static function viaRequest(string $driver, callable $callback): void
        {
            self::$callbacks[$driver] = $callback;
        }
    }
}

namespace {
    // Laravel turns warnings, such as that of a missing key, into exceptions.
    set_error_handler(
        fn ($level, $message) => error_reporting() & $level ? throw new ErrorException($message) : false
    );

    class HttpException extends Exception
    {
        public function __construct(public int $status, string $message, public array $headers)
        {
            parent::__construct($message);
        }
    }

    function abort(int $code, string $message = '', array $headers = []): never
    {
        throw new HttpException($code, $message, $headers);
    }

    function config(string $key): mixed
    {
        [, $service] = explode('.', $key);
        return $GLOBALS['services'][$service];
    }

    function env(string $key): ?string
    {
        return getenv($key) ?: null;
    }

    [, $guard, $configuration, $token] = $argv;
    $services = require $configuration;
    require $guard;

    $request = new Illuminate\Http\Request($token === '' ? null : $token);
    try {
        $user = (Illuminate\Support\Facades\Auth::$callbacks['gateway'])($request);
        $outcome = $user === null ? ['status' => 401] : ['status' => 200, 'id' => $user->getAuthIdentifier(), 'user' => $user];
    } catch (HttpException $exception) {
        $outcome = ['status' => $exception->status, 'message' => $exception->getMessage(), 'headers' => $exception->headers];
    } catch (ErrorException $exception) {
        $outcome = ['status' => 500, 'message' => $exception->getMessage()];
    }
    echo json_encode($outcome);
}
