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

int wolfssl_rs_set_signature_schemes(WOLFSSL_CTX* ctx,
    const unsigned char* schemes, unsigned int size)
{
    if (ctx->suites == NULL || size == 0 || size % 2 != 0 ||
            size > sizeof(ctx->suites->hashSigAlgo)) {
        return BAD_FUNC_ARG;
    }
    XMEMCPY(ctx->suites->hashSigAlgo, schemes, size);
    ctx->suites->hashSigAlgoSz = (word16)size;
    return WOLFSSL_SUCCESS;
}

int wolfssl_rs_get_exporter(const WOLFSSL* ssl, wolfssl_rs_exporter* out)
{
    const Arrays* arrays = ssl->arrays;
    int tls13 = ssl->options.tls1_3;

    wc_static_assert(WOLFSSL_RS_SECRET_SIZE >= WC_MAX_DIGEST_SIZE);
    wc_static_assert(WOLFSSL_RS_SECRET_SIZE >= SECRET_LEN);
    wc_static_assert(WOLFSSL_RS_RANDOM_SIZE == RAN_LEN);
    if (arrays == NULL || !ssl->options.saveArrays ||
            !ssl->options.handShakeDone) {
        return BAD_STATE_E;
    }
    if (tls13) {
        out->secret_size = ssl->specs.hash_size;
        XMEMCPY(out->secret, arrays->exporterSecret, out->secret_size);
    }
    else {
        out->secret_size = SECRET_LEN;
        XMEMCPY(out->secret, arrays->masterSecret, out->secret_size);
    }
    out->hash = ssl->specs.mac_algorithm;
    XMEMCPY(out->client_random, arrays->clientRandom, RAN_LEN);
    XMEMCPY(out->server_random, arrays->serverRandom, RAN_LEN);
    return WOLFSSL_SUCCESS;
}

int wolfssl_rs_send_alert(WOLFSSL* ssl, int description)
{
    return SendAlert(ssl, alert_fatal, description);
}

int wolfssl_rs_binds_handshake(const WOLFSSL* ssl)
{
    return ssl->options.tls1_3 || ssl->options.haveEMS;
}
