//! Reading and writing one connection from two threads at once.

use wolfssl::ClientConnection;

fn both_ways(mut connection: ClientConnection) {
    std::thread::scope(|scope| {
        scope.spawn(|| connection.read(&mut [0; 16]));
        scope.spawn(|| connection.write(b"data", &mut Vec::new()));
    });
}

fn main() {}
