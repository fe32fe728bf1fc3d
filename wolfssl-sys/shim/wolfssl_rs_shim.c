/* See wolfssl_rs_shim.h. */
#ifdef HAVE_CONFIG_H
    #include <config.h>
#endif
#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/internal.h>

#include "wolfssl_rs_shim.h"

int wolfssl_rs_own_signature(const WOLFSSL* ssl)
{
    return (ssl->options.sigAlgo << 8) | ssl->options.hashAlgo;
}

int wolfssl_rs_peer_signature(const WOLFSSL* ssl)
{
    return (ssl->options.peerSigAlgo << 8) | ssl->options.peerHashAlgo;
}

void wolfssl_rs_set_middlebox_compat(WOLFSSL* ssl, int on)
{
    ssl->options.tls13MiddleBoxCompat = (on != 0);
}

int wolfssl_rs_got_finished(const WOLFSSL* ssl)
{
    return ssl->msgsReceived.got_finished;
}

int wolfssl_rs_skip_answered_record(WOLFSSL* ssl)
{
    bufferStatic* input = &ssl->buffers.inputBuffer;

    if (input->idx - ssl->curStartIdx < ssl->curSize)
        return 0;
    input->idx += ssl->keys.padSz;
    return 1;
}
